/** The postal formats of a print run: each has its own envelope, machine and price. */
export const mailFormats = ['LETTER', 'LARGE_LETTER'] as const
export type MailFormat = (typeof mailFormats)[number]

/** A document of more sheets does not fold into a C5 envelope. */
export const letterSheetsMax = 5

export function mailFormatOf(sheets: number): MailFormat {
  return sheets > letterSheetsMax ? 'LARGE_LETTER' : 'LETTER'
}
