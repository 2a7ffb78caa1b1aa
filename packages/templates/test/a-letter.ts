import { fileURLToPath } from 'node:url'
import { readFolder } from '@despatch/templates/read-folder'
import { readTemplate, type Template, type TemplateFile } from '@despatch/templates/read-template'
import { templateId } from '@despatch/templates/template-id'
import type { TypesetRequest } from '@despatch/templates/typeset'

/** Reads a template of this package, such as `starter`. */
export async function aTemplate(path: string): Promise<Template> {
  const folder = fileURLToPath(new URL(`../${path}`, import.meta.url))
  const read = readTemplate(await readFolder(folder))
  if ('faults' in read) throw new Error(JSON.stringify(read.faults))
  return read.template
}

/** A letter of a template with its ordinary sample, on the first of December. */
export function aLetter(template: Template, change: Partial<TypesetRequest> = {}): TypesetRequest {
  const { files = template.files } = change
  return {
    templateId: templateId(files),
    files,
    languages: template.languages,
    title: template.fields.title,
    author: 'Anytown Council',
    date: '2026-12-01',
    address: ['Ms Ada Example', 'AB1 2CD'],
    group: template.fields.group,
    values: sampleOf(template, 'ordinary'),
    pagesMax: 10,
    ...change,
  }
}

export function sampleOf({ samples }: Template, wanted: string): unknown {
  return samples.find(({ name }) => name === wanted)!.values
}

/** The files of a template with another letter. */
export function withLetter(
  { files }: Template,
  source: string,
  path = 'letter.typ',
): TemplateFile[] {
  const letter = { path, bytes: Buffer.from(`#import "/despatch.typ": *\n${source}`) }
  return [...files.filter((file) => file.path !== path), letter]
}
