/** The postal formats of a print run. Each has its own envelope, machine and price. */
export const mailFormats = ['LETTER', 'LARGE_LETTER'] as const
export type MailFormat = (typeof mailFormats)[number]

/** A document with more sheets does not fit into a C5 envelope when folded. */
export const letterSheetsMax = 5

export function mailFormatOf(sheets: number): MailFormat {
  return sheets > letterSheetsMax ? 'LARGE_LETTER' : 'LETTER'
}
