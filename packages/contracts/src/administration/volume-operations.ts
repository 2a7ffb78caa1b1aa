import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { volumesQuerySchema, volumesSchema } from './volume.ts'

export const reportVolumes = {
  method: 'GET',
  url: `${administrationPath}/volumes`,
  schema: {
    operationId: 'reportVolumes',
    tags: ['volumes'],
    summary: 'Count what came in and what was despatched, for each consumer and contract',
    description:
      'By days or months in London. Letters, sheets and pages are those of confirmed postings. As JSON, or as CSV with ' +
      'Accept: text/csv: a line for what came in and one for each way in which letters left, so that columns can be summed; ' +
      'a cell that a spreadsheet would take for a formula begins with an apostrophe.',
    security,
    querystring: volumesQuerySchema,
    response: {
      200: volumesSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such consumer'),
      ...everywhere,
    },
  },
} as const
