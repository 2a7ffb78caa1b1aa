/** The languages that letters are typeset in, as BCP 47 codes. */
export const languages = ['en', 'cy'] as const

export type Language = (typeof languages)[number]

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text)
}
