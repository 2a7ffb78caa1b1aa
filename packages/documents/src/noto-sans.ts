import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Font } from '@cantoo/fontkit'

const file = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'

let parsed: Font | undefined

/**
 * Returns Noto Sans Regular, the typeface of every letter. It is read once per process, with the library that reads it,
 * because most processes never print.
 */
export function notoSans(): Font {
  parsed ??= parse()
  return parsed
}

function parse(): Font {
  const require = createRequire(import.meta.url)
  const { create } = require('@cantoo/fontkit') as typeof import('@cantoo/fontkit')
  const font = create(readFileSync(require.resolve(file)))
  if (!('glyphForCodePoint' in font)) throw new Error(`${file} is a collection, not one font`)
  return font
}
