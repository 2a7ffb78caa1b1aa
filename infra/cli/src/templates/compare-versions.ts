import type { Language } from '@despatch/templates/language'
import type { Template } from '@despatch/templates/read-template'
import { type LetterMakers, printLetter } from '@despatch/templates/try-letter'
import { TypesettingLimitExceeded } from '@despatch/templates/typesetters'
import { drawPages } from './draw-pages.ts'

/** A letter before and after a change of its template. Without pages: there is none. */
export type ComparedLetter = {
  sample: string
  language: Language
  before: readonly Uint8Array[]
  after: readonly Uint8Array[]
  /** The pages that differ, from 1. A page that only one of them has differs. */
  differing: readonly number[]
}

/** Compares the letters of two versions of a template: each sample that one of them has, in each of its languages. */
export async function compareVersions(
  makers: LetterMakers,
  before: Template,
  after: Template,
): Promise<ComparedLetter[]> {
  const samples = union(after, before, ({ samples }) => samples.map(({ name }) => name))
  const languages = union(after, before, (template) => template.languages)
  const compared: ComparedLetter[] = []
  for (const sample of samples) {
    for (const language of languages) {
      const pages = {
        before: await pagesOf(makers, before, sample, language),
        after: await pagesOf(makers, after, sample, language),
      }
      if (pages.before.length + pages.after.length === 0) continue
      compared.push({ sample, language, ...pages, differing: differingPages(pages) })
    }
  }
  return compared
}

function union<Item>(
  one: Template,
  other: Template,
  of: (template: Template) => readonly Item[],
): Item[] {
  return [...new Set([...of(one), ...of(other)])]
}

async function pagesOf(
  makers: LetterMakers,
  template: Template,
  sample: string,
  language: Language,
): Promise<Uint8Array[]> {
  const chosen = template.samples.find(({ name }) => name === sample)
  if (!chosen || !template.languages.includes(language)) return []
  try {
    const letter = { values: chosen.values, languages: [language] }
    const printed = await printLetter(makers, template, letter)
    return 'faults' in printed ? [] : await drawPages(printed)
  } catch (error) {
    // a version of an earlier release may exceed the limits of this one
    if (error instanceof TypesettingLimitExceeded) return []
    throw error
  }
}

export function differingPages({
  before,
  after,
}: Pick<ComparedLetter, 'before' | 'after'>): number[] {
  const count = Math.max(before.length, after.length)
  return Array.from({ length: count }, (_, index) => index + 1).filter((page) => {
    const [one, other] = [before[page - 1], after[page - 1]]
    return !one || !other || Buffer.compare(one, other) !== 0
  })
}
