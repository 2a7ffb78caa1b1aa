import type { Composers } from '@despatch/composer/composers'
import { TaskLimitExceeded } from '@despatch/composer/task-limits'
import { previewTemplate as operation } from '@despatch/contracts/administration/template-operations'
import { commentOf } from '@despatch/domain/preflight/finding'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { renderTemplateVersion } from '@despatch/domain/template/template-version'
import type { Api } from '@despatch/http/api'
import { inlineHeaders } from '@despatch/letters/draw-letter'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import { type WorkLimits, withinLimit } from '@despatch/letters/within-limit'
import type { Db } from '@despatch/store/database'
import { isLanguage, type Language } from '@despatch/templates/language'
import type { Template } from '@despatch/templates/read-template'
import { renderFault } from '@despatch/templates/template-fault'
import { type LetterMakers, type PrintedLetter, printLetter } from '@despatch/templates/try-letter'
import { TypesettingLimitExceeded } from '@despatch/templates/typesetters'
import { requireTemplateVersion } from '../template/describe-versions.ts'

type Effects = {
  db: Db
  templates: Pick<LetterTemplates, 'find'>
  composers: Pick<Composers, 'letterProofPage'>
  letterMakers: Omit<LetterMakers, 'use'>
  limits: WorkLimits
}
type Choice = { sample?: string; values?: Record<string, unknown>; languages?: readonly Language[] }
type Use = { consumerId: string; signal: AbortSignal }

/** POST /templates/{name}/versions/{version}/preview: returns a letter with made-up or given values. */
export function previewTemplate(api: Api, context: Effects): void {
  const { db, templates, composers, limits } = context
  api.route({
    ...operation,
    handler: async ({ params, body, caller: { consumerId } }, reply) => {
      const version = await requireTemplateVersion(db, params)
      const template = await templates.find(renderTemplateVersion(version))
      const letter = letterOf(template, body)
      const { page } = body
      return withinLimit(limits, { consumerId, reply }, 'template', async (signal) => {
        const use = { consumerId, signal }
        const printed = await print(context, template, letter, use)
        if (page === undefined) {
          const { document, findings } = printed
          if (!document) throw unprintable(commentOf(findings)!)
          return reply.headers(inlineHeaders('application/pdf')).send(Buffer.from(document.pdf))
        }
        const png = await draw(composers, printed, page, use)
        if (!png) throw new Problem('template-page-not-found', `The letter has no page ${page}`)
        return reply.headers(inlineHeaders('image/png')).send(Buffer.from(png))
      })
    },
  })
}

function letterOf(template: Template, { sample, values, languages }: Choice) {
  const found = template.samples.find(({ name }) => name === sample)
  if (sample !== undefined && !found) {
    const names = template.samples.map(({ name }) => name).join(', ')
    throw invalidFields([
      { field: 'sample', code: 'NotFound', detail: `sample must be one of ${names}` },
    ])
  }
  const other = languages?.find((language) => !template.languages.includes(language))
  if (other !== undefined) {
    const detail = `languages has ${other}, but the template is in ${template.languages.join(' and ')}`
    throw invalidFields([{ field: 'languages', code: 'Invalid', detail }])
  }
  const faults = values ? template.fields.check(values) : []
  if (faults.length > 0) {
    throw invalidFields(
      faults.map((fault) => ({ field: 'values', code: 'Invalid', detail: renderFault(fault) })),
    )
  }
  const chosen = languages ? [...new Set(languages)] : template.languages.slice(0, 1)
  return { values: found?.values ?? values, languages: chosen.filter(isLanguage) }
}

async function print(
  { letterMakers }: Effects,
  template: Template,
  letter: ReturnType<typeof letterOf>,
  use: Use,
): Promise<PrintedLetter> {
  try {
    const printed = await printLetter({ ...letterMakers, use }, template, letter)
    if (!('faults' in printed)) return printed
    throw unprintable(printed.faults.map(renderFault).join('. '))
  } catch (error) {
    if (!(error instanceof TypesettingLimitExceeded)) throw error
    throw unprintable(`The letter takes more ${error.limit} than a letter may`)
  }
}

/** Draws a page with the zones and the findings of preflight. A refused letter has pages too. */
async function draw(
  composers: Effects['composers'],
  { request, findings, document }: PrintedLetter,
  page: number,
  use: Use,
): Promise<Uint8Array | undefined> {
  const letter = { request, findings, absent: [], ...(document && { document: document.pdf }) }
  try {
    return await composers.letterProofPage(letter, page, use)
  } catch (error) {
    if (!(error instanceof TaskLimitExceeded)) throw error
    throw unprintable('The letter is too complex to be drawn')
  }
}

function unprintable(detail: string): Problem {
  return invalidFields([{ field: 'values', code: 'Invalid', detail }])
}
