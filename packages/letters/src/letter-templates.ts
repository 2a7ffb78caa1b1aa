import { londonDateOf } from '@despatch/domain/calendar/london'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import { isLanguage } from '@despatch/templates/language'
import { readTemplate, type Template, type TemplateFile } from '@despatch/templates/read-template'
import type { TemplateFault } from '@despatch/templates/template-fault'
import { templateId } from '@despatch/templates/template-id'
import { type Typesetters, TypesettingLimitExceeded } from '@despatch/templates/typesetters'
import { valuesOfParams } from '@despatch/templates/values-of-params'
import { LRUCache } from 'lru-cache'

/** A letter that is made from a template: what the print job keeps of it. */
export type TemplateLetter = {
  /** The version of the template, such as `renewal@3`. */
  template: string
  templateLanguages: readonly string[] | null
  customParams: readonly CustomParam[] | null
  standardParams: StandardParams
  submittedAt: Date
}

export type TypesetLetter = { pdf: Uint8Array } | { finding: Finding }

type Use = { consumerId?: string; signal?: AbortSignal | undefined }

export type LetterTemplates = {
  /** Returns a published version. Throws if there is none of the name: versions are never removed. */
  find(name: string): Promise<Template>
  /**
   * Typesets the letter. `address` is printed in the window; without it, the window stays empty. Equal letters give equal
   * bytes. Rejects with errors that the letter did not cause.
   */
  typeset(
    letter: TemplateLetter,
    use?: Use & { address?: readonly string[] },
  ): Promise<TypesetLetter>
}

/** Versions that are kept in memory, by the bytes of their files. */
const bytesMax = 64 * 1024 * 1024
/** Preflight refuses a letter with more pages than its contract allows. Beyond this, it is not written. */
const pagesMax = 10_000
const detailLengthMax = 500

/** Opens the published templates. `readFiles` returns no files for a version that is not published. */
export function openLetterTemplates({
  readFiles,
  typesetters,
}: {
  readFiles: (name: string) => Promise<readonly TemplateFile[]>
  typesetters: Pick<Typesetters, 'typeset'>
}): LetterTemplates {
  const known = new LRUCache<string, Known>({ maxSize: bytesMax, sizeCalculation: bytesOf })
  const find = async (name: string): Promise<Known> => {
    const kept = known.get(name)
    if (kept) return kept
    const files = await readFiles(name)
    if (files.length === 0) throw new Error(`Template ${name} does not exist`)
    const read = readTemplate(files)
    if ('faults' in read) throw new Error(`This release cannot read template ${name}`)
    const found = { id: templateId(files), template: read.template }
    known.set(name, found)
    return found
  }

  return {
    find: async (name) => (await find(name)).template,
    typeset: async (letter, { address = [], ...use } = {}) => {
      const { id, template } = await find(letter.template)
      const { files, fields } = template
      const { businessIdentifier } = letter.standardParams
      const { values, faults } = valuesOfParams(letter.customParams ?? [], fields.group)
      if (faults.length > 0) return { finding: findingOf(letter, faults) }
      const request = {
        templateId: id,
        files,
        languages: (letter.templateLanguages ?? template.languages).filter(isLanguage),
        title: fields.title,
        author: 'Despatch',
        date: londonDateOf(letter.submittedAt),
        ...(businessIdentifier && { reference: businessIdentifier }),
        address,
        group: fields.group,
        values,
        pagesMax,
      }
      try {
        const typeset = await typesetters.typeset(request, use)
        return 'faults' in typeset ? { finding: findingOf(letter, typeset.faults) } : typeset
      } catch (error) {
        if (!(error instanceof TypesettingLimitExceeded)) throw error
        const message = `takes more ${error.limit} than a letter may`
        return { finding: findingOf(letter, [{ place: 'letter.typ', message }]) }
      }
    },
  }
}

type Known = { id: string; template: Template }

function bytesOf({ template }: Known): number {
  return template.files.reduce((sum, { bytes }) => sum + bytes.length, 1)
}

/** P409: the letter can be typeset. */
function findingOf({ template }: TemplateLetter, faults: readonly TemplateFault[]): Finding {
  const said = faults.map(({ place, line, message }) =>
    line === undefined ? `${place} ${message}` : `${place}:${line} ${message}`,
  )
  const detail = `The letter cannot be made from template ${template}: ${said.join('. ')}`
  return { rule: 'template', severity: 'refusal', detail: detail.slice(0, detailLengthMax) }
}
