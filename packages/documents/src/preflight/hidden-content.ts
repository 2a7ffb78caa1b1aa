import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { OpenPage } from '../render/open-pages.ts'
import type { PageObject } from '../render/page-objects.ts'
import { findCharacters } from '../render/page-text.ts'
import { paint } from '../render/render-page.ts'
import { hasInkAt, type Ink, toTenths } from './ink.ts'
import type { Size } from './page-geometry.ts'
import { inkOf } from './read-ink.ts'

/**
 * Invisible content at a place of a page: the number of characters, and the rectangle of the characters or a picture.
 */
export type Hidden = { characters: number; rectangle: Rectangle }

/** Of a picture, in square millimetres. A smaller area is the blur at an edge. */
const hiddenPictureAreaMin = 4

/**
 * Finds text and pictures at a place where the page shows nothing: white or invisible text, or anything under a white
 * box. It deactivates objects of the page, so call it after everything else that reads the page.
 */
export function findHidden(
  page: OpenPage,
  {
    objects,
    place,
    size,
    ink,
  }: { objects: readonly PageObject[]; place: Rectangle; size: Size; ink: Ink },
): Hidden | undefined {
  const characters = findCharacters(page, { size, within: place }).filter(
    (character) => isMostlyIn(character, place) && !hasInkAt(ink, character),
  )
  const pictures = objects.some(({ type }) => type === 'image')
    ? findHiddenPictures(page, { objects, place, ink })
    : []
  if (characters.length + pictures.length === 0) return undefined
  return { characters: characters.length, rectangle: enclose([...characters, ...pictures]) }
}

/** Paints the place again with pictures only. Whatever appears now was hidden. */
function findHiddenPictures(
  page: OpenPage,
  { objects, place, ink }: { objects: readonly PageObject[]; place: Rectangle; ink: Ink },
): Rectangle[] {
  for (const { handle, type } of objects) {
    if (type !== 'image') page.calls._FPDFPageObj_SetIsActive(handle, 0)
  }
  const whole = { width: ink.columns, height: ink.rows }
  const part = cellsOf(place, ink)
  const partSize = { width: part.width * ink.cellWidth, height: part.height * ink.cellHeight }
  const alone = inkOf(paint(page, whole, part), partSize)

  const cells: Rectangle[] = []
  for (let index = 0; index < alone.isInk.length; index++) {
    if (!alone.isInk[index]) continue
    const column = part.x + (index % part.width)
    const row = part.y + Math.floor(index / part.width)
    const cell = cellAt(ink, column, row)
    if (!hasInkAt(ink, cell)) cells.push(cell)
  }
  const area = cells.length * ink.cellWidth * ink.cellHeight
  return area < hiddenPictureAreaMin ? [] : [enclose(cells)]
}

function cellsOf({ x, y, width, height }: Rectangle, ink: Ink) {
  const left = Math.floor(x / ink.cellWidth)
  const top = Math.floor(y / ink.cellHeight)
  return {
    x: left,
    y: top,
    width: Math.min(ink.columns, Math.ceil((x + width) / ink.cellWidth)) - left,
    height: Math.min(ink.rows, Math.ceil((y + height) / ink.cellHeight)) - top,
  }
}

function cellAt({ cellWidth, cellHeight }: Ink, column: number, row: number): Rectangle {
  return { x: column * cellWidth, y: row * cellHeight, width: cellWidth, height: cellHeight }
}

function isMostlyIn({ x, y, width, height }: Rectangle, place: Rectangle): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  return (
    middleX > place.x &&
    middleX < place.x + place.width &&
    middleY > place.y &&
    middleY < place.y + place.height
  )
}

function enclose(rectangles: readonly Rectangle[]): Rectangle {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [right, bottom] = [0, 0]
  for (const { x, y, width, height } of rectangles) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return {
    x: toTenths(left),
    y: toTenths(top),
    width: toTenths(right - left),
    height: toTenths(bottom - top),
  }
}
