import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from '@cantoo/fontkit'

const file = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'

let parsed: Font | undefined

/** Returns Noto Sans Regular, the typeface of every letter. It is read from its package once per process. */
export function notoSans(): Font {
  parsed ??= parse()
  return parsed
}

function parse(): Font {
  const font = create(readFileSync(createRequire(import.meta.url).resolve(file)))
  if (!('glyphForCodePoint' in font)) throw new Error(`${file} is a collection, not one font`)
  return font
}
