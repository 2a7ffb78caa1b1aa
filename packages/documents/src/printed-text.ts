import { notoSans } from './noto-sans.ts'

/** Scripts whose letters are placed side by side unchanged. Others require shaping and would print incorrectly. */
const unshaped =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]$/u

/** Returns a line as it is printed: accents composed, white space as blanks, no invisible characters. */
export function printedText(line: string): string {
  if (isPlain(line)) return line
  return line
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
}

/** Returns true if the typeface can print every character of a printed text. */
export function isPrintable(text: string): boolean {
  return findUnprintable(text).length === 0
}

/** Returns the positions, from 1, of the characters of a printed text that the typeface cannot print. */
export function findUnprintable(text: string): readonly number[] {
  if (isPlain(text)) return []
  const font = notoSans()
  return [...text].flatMap((character, index) =>
    unshaped.test(character) && font.hasGlyphForCodePoint(character.codePointAt(0)!)
      ? []
      : [index + 1],
  )
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
