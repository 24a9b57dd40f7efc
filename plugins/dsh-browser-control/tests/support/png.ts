/** Reads a PNG (8 bits a channel, RGB or RGBA, not interlaced) with zlib alone: the witness of what a screenshot shows. */
import { inflateSync } from 'node:zlib'

export interface Picture {
  readonly width: number
  readonly height: number
  /** `[red, green, blue]` of a pixel. */
  at(x: number, y: number): readonly [number, number, number]
}

export function readPng(file: Buffer): Picture {
  if (file.toString('latin1', 1, 4) !== 'PNG') throw new Error('This is no PNG')
  const [width, height, depth, color, interlace] = [file.readUInt32BE(16), file.readUInt32BE(20), file[24], file[25], file[28]]
  if (depth !== 8 || (color !== 2 && color !== 6) || interlace !== 0) throw new Error(`A PNG of another kind: depth ${depth}, colour ${color}`)
  const parts: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  const bytes = color === 6 ? 4 : 3
  const stride = width * bytes
  const raw = inflateSync(Buffer.concat(parts))
  const pixels = Buffer.alloc(stride * height)
  const predictor = (filter: number, left: number, up: number, corner: number): number => {
    if (filter === 1) return left
    if (filter === 2) return up
    if (filter === 3) return (left + up) >> 1
    if (filter !== 4) return 0
    const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
    return a <= b && a <= c ? left : b <= c ? up : corner
  }
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    for (let i = 0; i < stride; i++) {
      const left = i >= bytes ? (pixels[y * stride + i - bytes] ?? 0) : 0
      const up = y > 0 ? (pixels[(y - 1) * stride + i] ?? 0) : 0
      const corner = i >= bytes && y > 0 ? (pixels[(y - 1) * stride + i - bytes] ?? 0) : 0
      pixels[y * stride + i] = (raw[y * (stride + 1) + 1 + i] ?? 0) + predictor(filter, left, up, corner)
    }
  }
  return { width, height, at: (x, y) => [0, 1, 2].map((channel) => pixels[y * stride + x * bytes + channel] ?? -1) as [number, number, number] }
}
