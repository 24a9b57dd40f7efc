/** The PNG codec against another reader, and numbers drawn into pixels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawNumbers } from '../../src/page/draw.ts'
import { decodePng, encodePng, type Pixels } from '../../src/page/png.ts'
import { readPng } from '../support/png.ts'

const blank = (width: number, height: number, channels: 3 | 4 = 3): Pixels => ({
  width,
  height,
  channels,
  data: Buffer.alloc(width * height * channels, 255),
})

test('pixels come back as they were, and another reader reads the same', () => {
  for (const channels of [3, 4] as const) {
    const pixels = blank(37, 23, channels)
    for (let i = 0; i < pixels.data.length; i++) pixels.data[i] = (i * 31 + (i >> 3)) % 256
    const png = encodePng(pixels)
    assert.deepEqual(decodePng(png), pixels)
    const read = readPng(png)
    for (const [x, y] of [
      [0, 0],
      [36, 22],
      [17, 9],
    ] as const)
      assert.deepEqual(read.at(x, y), [...pixels.data.subarray((y * 37 + x) * channels, (y * 37 + x) * channels + 3)])
  }
})

test('numbers cover neither each other nor anything outside the picture', () => {
  const pixels = blank(300, 200)
  // Two boxes at one place, one that reaches out of the picture, one that fills it.
  const boxes = [
    { number: 1, x: 100, y: 100, width: 40, height: 20 },
    { number: 23, x: 100, y: 100, width: 40, height: 20 },
    { number: 456, x: -10, y: -10, width: 50, height: 30 },
    { number: 7, x: 0, y: 0, width: 300, height: 200 },
  ]
  drawNumbers(pixels, boxes)
  const at = (x: number, y: number) => [...pixels.data.subarray((y * 300 + x) * 3, (y * 300 + x) * 3 + 3)].join()
  const row = (y: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => (at(from + i, y) === '255,255,255' ? '.' : '#')).join('')
  // The 1 above its box, in the first colour; the 23 below, in the second.
  assert.equal(at(100, 85), '214,0,60')
  assert.equal(at(100, 121), '0,90,200')
  // The picture of the 1: 3 × 5 dots of 2 px, white in the tag.
  assert.deepEqual(
    [87, 89, 91, 93, 95].map((y) => row(y, 103, 109)),
    ['##..##', '....##', '##..##', '##..##', '......'],
  )
  assert.equal(at(150, 110), '255,255,255')
})
