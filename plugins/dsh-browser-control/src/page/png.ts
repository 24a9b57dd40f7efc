/** PNG to pixels and back, as far as Chrome's screenshots need it: 8 bits a channel, RGB or RGBA, not interlaced. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Bytes of a pixel: 3 (RGB) or 4 (RGBA). */
  readonly channels: 3 | 4
  /** Row by row. Written into by those who draw. */
  readonly data: Buffer
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Fast: the picture was compressed for speed before, too. */
const LEVEL = 2

/** Throws a plain Error for a PNG of another kind: Chrome makes none. */
export function decodePng(png: Buffer): Pixels {
  const [width, height, depth, colour, interlace] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25], png[28]]
  if (depth !== 8 || (colour !== 2 && colour !== 6) || interlace !== 0)
    throw new Error(`A PNG of depth ${depth}, colour type ${colour}, interlace ${interlace}`)
  const parts: Buffer[] = []
  for (let at = 8; at + 8 < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const channels = colour === 6 ? 4 : 3
  return { width, height, channels, data: unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels) }
}

/** Undoes the filter of each row (PNG specification, 9.2). */
function unfilter(raw: Buffer, stride: number, height: number, channels: number): Buffer {
  const data = Buffer.allocUnsafe(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]
    const from = y * (stride + 1) + 1
    const to = y * stride
    raw.copy(data, to, from, from + stride)
    if (filter === 0) continue
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? (data[to + i - channels] ?? 0) : 0
      const up = y > 0 ? (data[to + i - stride] ?? 0) : 0
      const corner = i >= channels && y > 0 ? (data[to + i - stride - channels] ?? 0) : 0
      data[to + i] = (data[to + i] ?? 0) + (filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner))
    }
  }
  return data
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
}

export function encodePng({ width, height, channels, data }: Pixels): Buffer {
  const stride = width * channels
  const raw = Buffer.allocUnsafe((stride + 1) * height)
  for (let y = 0; y < height; y++) {
    // The difference to the row above (filter 2): what repeats downwards is nothing but zeros.
    raw[y * (stride + 1)] = 2
    for (let i = 0; i < stride; i++) raw[y * (stride + 1) + 1 + i] = (data[y * stride + i] ?? 0) - (y > 0 ? (data[(y - 1) * stride + i] ?? 0) : 0)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  head[9] = channels === 4 ? 6 : 2
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', deflateSync(raw, { level: LEVEL })), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}
