/** The languages that letters are typeset in, as BCP 47 codes. */
export const languages = ['en', 'cy'] as const

export type Language = (typeof languages)[number]
