import { templateNamePattern } from '@despatch/domain/template/template-version'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, integer, text } from '../text.ts'
import { contractSchema } from './contract.ts'

const filesMax = 100
const pathLengthMax = 200
const samplesMax = 64
const pageMax = 10_000

const versionNumber = /^[1-9]\d{0,5}$/
export const ofTemplate = z.object({
  name: text({ pattern: templateNamePattern }).describe('Name of the template'),
})
export const ofTemplateVersion = ofTemplate.extend({
  version: text({ pattern: versionNumber }).transform(Number),
})

/** The languages of letters, as BCP 47 codes. */
export const templateLanguageSchema = z.enum(['en', 'cy'])

/** The limit of all files together is that of the request. */
const base64 = z
  .string()
  .check(({ value, issues }) => {
    if (value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) return
    issues.push(customIssue({ code: 'Pattern', message: 'must be base64' }, undefined))
  })
  .meta({ contentEncoding: 'base64' })

export const givenTemplateFileSchema = z.object({
  path: text({ min: 1, max: pathLengthMax }).describe(
    'Path below the folder of the template, such as images/logo.svg',
  ),
  content: base64.describe('The file in base64'),
})

export const publishTemplateSchema = z.object({
  files: z
    .array(givenTemplateFileSchema)
    .min(1)
    .max(filesMax)
    .describe('All files of the template, at most 8 MiB'),
})
export type PublishTemplateRequest = z.input<typeof publishTemplateSchema>

const version = {
  template: z.string().describe('Name of the version, as contracts have it, such as renewal@3'),
  name: z.string().describe('Name of the template'),
  version: z.int().min(1),
  title: z.string().describe('Title of its letters'),
  languages: z.array(z.string()).describe('Languages that it has a letter in'),
  publishedBy: z.string().describe('Who published it: consumer:<id>, or a part of the system'),
  publishedByUserName: ifKnown(z.string()),
  publishedAt: storedTime,
  isOfThisRelease: z
    .boolean()
    .describe(
      'Whether it was checked with the compiler, the page and the typefaces of this release, which makes its letters. If ' +
        'false, publish its files again to check them',
    ),
}

export const templateSchema = z.object({
  ...version,
  contractCount: z
    .int()
    .min(0)
    .describe('Number of contracts that use a version of the template, without retired ones'),
})
export const templatesSchema = z.object({
  templates: z.array(templateSchema).describe('The newest version of each template, by name'),
})
export type TemplatesResponse = z.output<typeof templatesSchema>

export const contractOfTemplateSchema = z.object({
  consumerId: z.string(),
  userName: z.string(),
  jobType: contractSchema.shape.jobType,
  templateReference: contractSchema.shape.templateReference,
})

const usedVersion = {
  ...version,
  contracts: z
    .array(contractOfTemplateSchema)
    .describe('Contracts that name this version, without retired ones'),
}
export const templateVersionSchema = z.object(usedVersion)
export type TemplateVersionResponse = z.output<typeof templateVersionSchema>

export const templateVersionsQuerySchema = z.object({
  ...pageQuery,
  cursor: text({ max: 6, pattern: versionNumber })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})
export const templateVersionsSchema = z.object({
  versions: z.array(templateVersionSchema).describe('Newest first'),
  nextCursor,
})
export type TemplateVersionsResponse = z.output<typeof templateVersionsSchema>

export const templateVersionQuerySchema = z.object({
  content: z
    .enum(['true', 'false'])
    .default('false')
    .transform((content) => content === 'true')
    .describe('Whether the response has the content of the files'),
})

const values = z.record(z.string(), z.unknown())

export const templateSampleSchema = z.object({
  sample: z.string().describe('Name of the sample'),
  values,
})
export const templateFileSchema = z.object({
  path: z.string(),
  bytes: z.int().min(0),
  content: z.string().optional().describe('The file in base64. Absent unless content is true'),
})

export const templateVersionDetailsSchema = z.object({
  ...usedVersion,
  fields: z.record(z.string(), z.unknown()).describe('JSON Schema of the fields'),
  samples: z.array(templateSampleSchema),
  files: z.array(templateFileSchema),
})
export type TemplateVersionDetailsResponse = z.output<typeof templateVersionDetailsSchema>

export const previewTemplateSchema = z
  .object({
    sample: text({ min: 1, max: samplesMax }).exactOptional().describe('Name of a sample'),
    values: values.exactOptional().describe('Values of the fields, as in a sample'),
    languages: z
      .array(templateLanguageSchema)
      .min(1)
      .max(2)
      .exactOptional()
      .describe('Languages of the letter, one after another. Default: the first of the template'),
    page: integer({ min: 1, max: pageMax })
      .exactOptional()
      .describe('Page to return as a picture. Absent: the whole letter as a PDF'),
  })
  .superRefine(({ sample, values }, context) => {
    if ((sample === undefined) !== (values === undefined)) return
    const message = 'must be given, or else values'
    const issue = customIssue({ code: 'Invalid', message }, sample)
    context.addIssue({ ...issue, path: ['sample'] })
  })
export type PreviewTemplateRequest = z.input<typeof previewTemplateSchema>
