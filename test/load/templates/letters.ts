import { fileURLToPath } from 'node:url'
import { readFolder } from '@despatch/templates/read-folder'
import { readTemplate } from '@despatch/templates/read-template'
import { templateId } from '@despatch/templates/template-id'
import type { TypesetRequest } from '@despatch/templates/typeset'
import { valuesOfParams } from '@despatch/templates/values-of-params'
import { someFields } from '@despatch/testing/publish-template'

/** A letter that is made from a template. Its pages are those of the template. */
export type TemplateLetter = {
  name: string
  pages: number
  /** The source of the template. Absent: that of the template which `templates init` makes. */
  source?: string
}

const parts = 10
const paragraph =
  'The rounds have been redrawn so that the same work takes fewer miles, and most households keep their day. '.repeat(
    7,
  )

export const onePage: TemplateLetter = { name: 'one page', pages: 1 }
export const threePages: TemplateLetter = {
  name: 'three pages',
  pages: 3,
  source: [
    '#import "/despatch.typ": *',
    '= Your council tax is overdue',
    'Dear #fields.name,',
    `#for part in range(1, ${parts + 1}) [`,
    '== Part #part',
    paragraph,
    ']',
  ].join('\n\n'),
}

/** Returns the custom parameters of a letter. Each number has another name. */
export function paramsOf(number: number) {
  return someFields.map(({ key, value }) => ({
    key,
    value: key === 'name' ? `Ms Rosalind Appleyard ${number}` : value,
  }))
}

/** Returns what the compiler gets for a letter with a number: what the pipeline gives it. */
export async function openRequests({
  source,
  pages,
}: TemplateLetter): Promise<(number: number) => TypesetRequest> {
  const starter = fileURLToPath(import.meta.resolve('@despatch/templates/starter'))
  const files = (await readFolder(starter)).map((file) =>
    source !== undefined && file.path === 'letter.typ'
      ? { ...file, bytes: Buffer.from(source) }
      : file,
  )
  const read = readTemplate(files)
  if ('faults' in read) throw new Error(JSON.stringify(read.faults))
  const { title, group } = read.template.fields
  const common = {
    templateId: templateId(read.template.files),
    files: read.template.files,
    languages: ['en'] as const,
    title,
    author: 'Despatch',
    date: '2026-12-01',
    address: [],
    group,
    pagesMax: pages,
  }
  return (number) => ({ ...common, values: valuesOfParams(paramsOf(number), group).values })
}

/** The same text for a browser, which a style sheet makes about as long. */
export function htmlOf({ source }: TemplateLetter, number: number): string {
  const { name, amount, payBy, instalments } = Object.fromEntries(
    paramsOf(number).map(({ key, value }) => [key, value]),
  )
  const rows = (JSON.parse(instalments!) as { due: string; amount: string }[])
    .map(({ due, amount }) => `<tr><td>${due}</td><td>£${amount}</td></tr>`)
    .join('')
  const body = source
    ? Array.from(
        { length: parts },
        (_, part) => `<h2>Part ${part + 1}</h2><p>${paragraph}</p>`,
      ).join('')
    : `<p>We have not received the payments below. Please pay <b>£${amount}</b> by ${payBy}.</p>
       <table><tr><th>Instalment</th><th>Amount</th></tr>${rows}</table><p>Yours sincerely,</p><p>Anytown Council</p>`
  return `<!doctype html><html lang="en"><head><title>Your council tax is overdue</title>
    <style>@page { size: A4; margin: 25mm } body { font: 11pt/1.5 sans-serif }</style></head>
    <body><h1>Your council tax is overdue</h1><p>Dear ${name},</p>${body}</body></html>`
}
