import { binary } from '../binary.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  ofTemplate,
  ofTemplateVersion,
  previewTemplateSchema,
  publishTemplateSchema,
  templatesSchema,
  templateVersionDetailsSchema,
  templateVersionQuerySchema,
  templateVersionSchema,
  templateVersionsQuerySchema,
  templateVersionsSchema,
} from './template.ts'

/** 8 MiB of files in base64, and their paths. */
const filesBytesMax = 12 * 1024 * 1024

const templates = `${administrationPath}/templates`
const versions = `${templates}/:name/versions`
const version = `${versions}/:version`
const unknownTemplate = printErrorsSchema.describe('The template does not exist')
const unknownVersion = printErrorsSchema.describe('The version of the template does not exist')

export const listTemplates = {
  method: 'GET',
  url: templates,
  schema: {
    operationId: 'listTemplates',
    tags: ['templates'],
    summary: 'List the newest version of each template',
    security,
    response: { 200: templatesSchema, ...everywhere },
  },
} as const

export const publishTemplate = {
  method: 'POST',
  url: versions,
  bodyLimit: filesBytesMax,
  schema: {
    operationId: 'publishTemplate',
    tags: ['templates'],
    summary: 'Publish a version of a template',
    description:
      'Makes a letter of each sample, and of the shortest and the longest values that the fields allow, in each language. ' +
      'Publishing is refused if one of them is refused or exceeds a limit. A version never changes, and contracts use it ' +
      'only once they name it. Repeating the request is safe: the same files give the same version while it is the newest.',
    security,
    params: ofTemplate,
    body: publishTemplateSchema,
    response: {
      ...everywhere,
      200: templateVersionSchema.describe('The newest version has the same content'),
      201: templateVersionSchema,
      400: printErrorsSchema.describe(
        'Invalid parameters, a mistake in a file, or a letter that would be refused. Nothing was published',
      ),
      413: printErrorsSchema.describe('More than 12 MiB'),
      503: printErrorsSchema.describe(
        'Too many templates are being published at present, or the letters take too long. Nothing was published',
      ),
    },
  },
} as const

export const listTemplateVersions = {
  method: 'GET',
  url: versions,
  schema: {
    operationId: 'listTemplateVersions',
    tags: ['templates'],
    summary: 'List the versions of a template, newest first',
    security,
    params: ofTemplate,
    querystring: templateVersionsQuerySchema,
    response: { 200: templateVersionsSchema, 400: invalid, 404: unknownTemplate, ...everywhere },
  },
} as const

export const getTemplateVersion = {
  method: 'GET',
  url: version,
  schema: {
    operationId: 'getTemplateVersion',
    tags: ['templates'],
    summary: 'Get a version of a template with its fields, samples and files',
    security,
    params: ofTemplateVersion,
    querystring: templateVersionQuerySchema,
    response: {
      200: templateVersionDetailsSchema,
      400: invalid,
      404: unknownVersion,
      ...everywhere,
    },
  },
} as const

export const previewTemplate = {
  method: 'POST',
  url: `${version}/preview`,
  schema: {
    operationId: 'previewTemplate',
    tags: ['templates'],
    summary: 'Preview a letter of a template',
    description:
      'Makes the letter of a sample or of given values as for a print job, with a made-up address and day, and stores ' +
      'nothing. With page, returns this page as a picture with the zones and the findings of preflight.',
    security,
    params: ofTemplateVersion,
    body: previewTemplateSchema,
    response: {
      ...everywhere,
      200: {
        description: 'The letter, or the page of it',
        content: {
          'application/pdf': { schema: binary },
          'image/png': { schema: binary },
        },
      },
      400: printErrorsSchema.describe(
        'Invalid parameters, or values that no letter can be made of',
      ),
      404: printErrorsSchema.describe(
        'The version of the template, its sample or the page does not exist',
      ),
      503: printErrorsSchema.describe(
        'Too many letters are being drawn at present, or this one takes too long',
      ),
    },
  },
} as const
