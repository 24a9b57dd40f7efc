/** Draws numbered boxes into the pixels of a picture: on our side of the wire, so that the page can neither see nor keep them. */
import type { Box } from './frame-map.ts'
import type { Pixels } from './png.ts'

type Colour = readonly [red: number, green: number, blue: number]

/** Dark enough for white digits, and unlike each other: neighbours get different ones. */
const COLOURS: readonly Colour[] = [
  [214, 0, 60],
  [0, 90, 200],
  [0, 120, 50],
  [150, 0, 170],
  [170, 85, 0],
  [0, 115, 130],
]
const WHITE: Colour = [255, 255, 255]

/** Digits of 3 × 5 dots, a row a number, the left dot is the highest bit. */
const DIGITS: readonly (readonly number[])[] = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 7, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 2, 2],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
]
/** Pixels of a dot, and around the digits. */
const DOT = 2
const PAD = 3
const LINE = 2
const TAG_HEIGHT = 5 * DOT + 2 * PAD

/** Draws each box with its number, in px of the picture. Numbers stand where they cover no other number, as far as there is room. */
export function drawNumbers(pixels: Pixels, boxes: readonly (Box & { readonly number: number })[]): void {
  const tags: Box[] = []
  boxes.forEach(({ number, ...box }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? WHITE
    outline(pixels, box, colour)
    const width = String(number).length * 4 * DOT - DOT + 2 * PAD
    const tag = placeTag(pixels, box, width, tags)
    tags.push(tag)
  })
  // Numbers last: no box is drawn over one.
  boxes.forEach(({ number }, index) => drawTag(pixels, tags[index], number, COLOURS[index % COLOURS.length] ?? WHITE))
}

/** Above the box, below it, beside it, else in its corner: the first place inside the picture that no other number takes. */
function placeTag({ width: pictureWidth, height: pictureHeight }: Pixels, box: Box, width: number, tags: readonly Box[]): Box {
  const size = { width, height: TAG_HEIGHT }
  const places = [
    { x: box.x, y: box.y - TAG_HEIGHT },
    { x: box.x, y: box.y + box.height },
    { x: box.x - width, y: box.y },
    { x: box.x + box.width, y: box.y },
    { x: box.x + box.width - width, y: box.y - TAG_HEIGHT },
    { x: box.x, y: box.y },
    { x: box.x + box.width - width, y: box.y + box.height - TAG_HEIGHT },
  ].map((place) => ({ x: Math.round(place.x), y: Math.round(place.y), ...size }))
  const isInside = ({ x, y }: Box) => x >= 0 && y >= 0 && x + width <= pictureWidth && y + TAG_HEIGHT <= pictureHeight
  const isFree = (place: Box) => !tags.some((tag) => overlap(tag, place))
  const corner = {
    x: Math.max(0, Math.min(Math.round(box.x), pictureWidth - width)),
    y: Math.max(0, Math.min(Math.round(box.y), pictureHeight - TAG_HEIGHT)),
    ...size,
  }
  return places.find((place) => isInside(place) && isFree(place)) ?? corner
}

const overlap = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function outline(pixels: Pixels, { x, y, width, height }: Box, colour: Colour): void {
  fill(pixels, { x, y, width, height: LINE }, colour)
  fill(pixels, { x, y: y + height - LINE, width, height: LINE }, colour)
  fill(pixels, { x, y, width: LINE, height }, colour)
  fill(pixels, { x: x + width - LINE, y, width: LINE, height }, colour)
}

function drawTag(pixels: Pixels, tag: Box | undefined, number: number, colour: Colour): void {
  if (!tag) return
  fill(pixels, tag, colour)
  Array.from(String(number)).forEach((digit, at) => {
    DIGITS[Number(digit)]?.forEach((row, line) => {
      for (let bit = 0; bit < 3; bit++)
        if ((row & (4 >> bit)) !== 0)
          fill(pixels, { x: tag.x + PAD + (at * 4 + bit) * DOT, y: tag.y + PAD + line * DOT, width: DOT, height: DOT }, WHITE)
    })
  })
}

/** Fills the part of a box that is in the picture. */
function fill({ width, height, channels, data }: Pixels, box: Box, colour: Colour): void {
  const [left, top] = [Math.max(0, Math.round(box.x)), Math.max(0, Math.round(box.y))]
  const [right, bottom] = [Math.min(width, Math.round(box.x + box.width)), Math.min(height, Math.round(box.y + box.height))]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * channels
      data[at] = colour[0]
      data[at + 1] = colour[1]
      data[at + 2] = colour[2]
      if (channels === 4) data[at + 3] = 255
    }
}
