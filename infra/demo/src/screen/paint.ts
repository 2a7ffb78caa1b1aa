import { styleText } from 'node:util'

const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'magenta', 'blue'] as const

export type Style = (typeof styles)[number]
export type Paint = { [style in Style]: (text: string) => string }

/** Returns functions that colour text, or leave it unchanged. */
export function makePaint(hasColour: boolean): Paint {
  const paint = (style: Style) => (text: string) =>
    hasColour ? styleText(style, text, { validateStream: false }) : text
  return Object.fromEntries(styles.map((style) => [style, paint(style)])) as Paint
}
