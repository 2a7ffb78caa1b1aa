import { extremes, extremeValue } from './extreme-values.ts'
import type { Language } from './language.ts'
import type { Template } from './read-template.ts'
import { renderFault } from './template-fault.ts'
import { type LetterMakers, tryLetter } from './try-letter.ts'
import { TypesettingLimitExceeded } from './typesetters.ts'

/** What came of one letter. It is sound if nothing in `refusals` is wrong with it. */
export type CheckedLetter = {
  values: string
  /** In the order in which they are printed. */
  languages: readonly Language[]
  pages: number | null
  refusals: string[]
  notes: string[]
}

/**
 * Checks a template in each language and in all of them together, with each sample, and with the shortest and the longest
 * values that its fields allow: that it compiles, that preflight does not refuse it, and that its PDF is accessible (PDF/UA-1).
 */
export async function checkTemplate(
  makers: LetterMakers,
  template: Template,
  onChecked: (letter: CheckedLetter) => void = () => {},
): Promise<CheckedLetter[]> {
  const all = [
    ...template.samples,
    ...extremes.map((name) => ({ name, values: extremeValue(template.fields.group, name) })),
  ]
  const each = template.languages.map((language) => [language])
  const together = each.length > 1 ? [[...template.languages].reverse()] : []
  const checked: CheckedLetter[] = []
  for (const { name, values } of all) {
    for (const languages of [...each, ...together]) {
      const letter = {
        values: name,
        languages,
        ...(await judge(makers, template, values, languages)),
      }
      onChecked(letter)
      checked.push(letter)
    }
  }
  return checked
}

async function judge(
  makers: LetterMakers,
  template: Template,
  values: unknown,
  languages: readonly Language[],
): Promise<Pick<CheckedLetter, 'pages' | 'refusals' | 'notes'>> {
  try {
    const tried = await tryLetter(makers, template, { values, languages })
    if ('faults' in tried) {
      return { pages: null, refusals: tried.faults.map(renderFault), notes: [] }
    }
    const detailsOf = (wanted: string) =>
      tried.findings.filter(({ severity }) => severity === wanted).map(({ detail }) => detail)
    return {
      pages: tried.document?.pages ?? null,
      refusals: detailsOf('refusal'),
      notes: detailsOf('note'),
    }
  } catch (error) {
    if (!(error instanceof TypesettingLimitExceeded)) throw error
    const refusal = `takes more ${error.limit} than a letter may: limit its lists (maxItems) and texts (maxLength)`
    return { pages: null, refusals: [refusal], notes: [] }
  }
}
