import type { Language } from './language.ts'
import { type Fields, readFields } from './read-fields.ts'
import type { TemplateFault } from './template-fault.ts'

/** A file of a template. `path` is relative to its folder, with `/`. */
export type TemplateFile = { path: string; bytes: Uint8Array }

export type Sample = { name: string; values: unknown }

/** A template whose files were read. Whether it compiles is another question. */
export type Template = {
  files: readonly TemplateFile[]
  fields: Fields
  /** The languages that it has a source for, in this order. */
  languages: readonly Language[]
  samples: readonly Sample[]
}

const filesMax = 100
const bytesMax = 8 * 1024 * 1024

const sourceOf = { 'letter.typ': 'en', 'letter.cy.typ': 'cy' } as const
const samplePath = /^samples\/([\w-]{1,64})\.json$/
const allowed = [
  /^(README\.md|fields\.json)$/,
  /^[\w-]{1,64}(\.[a-z]{2})?\.typ$/,
  samplePath,
  /^images\/[\w.-]{1,64}\.(png|jpe?g|svg)$/,
  /^fonts\/[\w.-]{1,64}\.(ttf|otf)$/,
]

/**
 * Reads the files of a template: `letter.typ` or `letter.cy.typ`, `fields.json`, and samples. Returns everything that is
 * wrong with them.
 */
export function readTemplate(
  files: readonly TemplateFile[],
): { template: Template } | { faults: TemplateFault[] } {
  const faults = judgeFiles(files)
  const languages = Object.entries(sourceOf)
    .filter(([path]) => files.some((file) => file.path === path))
    .map(([, language]) => language)
  if (languages.length === 0) faults.push({ place: 'letter.typ', message: 'is missing' })

  const fieldsFile = files.find(({ path }) => path === 'fields.json')
  const read = fieldsFile
    ? readFields(textOf(fieldsFile))
    : { faults: [{ place: 'fields.json', message: 'is missing' }] }
  if ('faults' in read) return { faults: [...faults, ...read.faults] }

  const samples: Sample[] = []
  for (const file of files) {
    const name = samplePath.exec(file.path)?.[1]
    if (name === undefined) continue
    const sample = readSample(file, read.fields)
    if ('faults' in sample) faults.push(...sample.faults)
    else samples.push({ name, values: sample.values })
  }
  if (!files.some(({ path }) => samplePath.test(path))) {
    faults.push({ place: 'samples', message: 'must have at least one file, such as ordinary.json' })
  }
  if (faults.length > 0) return { faults }
  return { template: { files, fields: read.fields, languages, samples } }
}

function judgeFiles(files: readonly TemplateFile[]): TemplateFault[] {
  const faults = files
    .filter(({ path }) => !allowed.some((pattern) => pattern.test(path)))
    .map(({ path }) => ({
      place: path,
      message:
        'cannot be part of a template: it has *.typ, fields.json, README.md, samples/*.json, images/*.png, .jpg or .svg, and fonts/*.ttf or .otf',
    }))
  if (files.length > filesMax) {
    faults.push({ place: 'the folder', message: `has more than ${filesMax} files` })
  }
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > bytesMax) {
    faults.push({ place: 'the folder', message: 'has more than 8 MiB' })
  }
  return faults
}

function readSample(
  file: TemplateFile,
  fields: Fields,
): { values: unknown } | { faults: TemplateFault[] } {
  let values: unknown
  try {
    values = JSON.parse(textOf(file))
  } catch (error) {
    return { faults: [{ place: file.path, message: `is not JSON: ${(error as Error).message}` }] }
  }
  const faults = fields.check(values)
  if (faults.length === 0) return { values }
  return {
    faults: faults.map(({ place, message }) => ({
      place: file.path,
      message: place ? `${place} ${message}` : message,
    })),
  }
}

function textOf({ bytes }: TemplateFile): string {
  return Buffer.from(bytes).toString('utf8')
}
