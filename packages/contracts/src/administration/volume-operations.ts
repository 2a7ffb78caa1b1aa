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
    summary: 'Report volumes by consumer and contract',
    description:
      'Counts accepted and despatched print jobs by days or months in London. Letters, sheets and pages are those of ' +
      'confirmed postings. The response is JSON, or CSV with Accept: text/csv. CSV has a line for accepted print jobs ' +
      'and one for each way in which letters were despatched, so that columns can be summed. A cell that a spreadsheet ' +
      'would read as a formula begins with an apostrophe.',
    security,
    querystring: volumesQuerySchema,
    response: {
      200: volumesSchema,
      400: invalid,
      404: printErrorsSchema.describe('The consumer does not exist'),
      ...everywhere,
    },
  },
} as const
