import { plexes } from '@despatch/domain/print-run/capabilities'
import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { mailFormats } from '@despatch/domain/print-run/mail-format'
import { recallStates, reprintStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { exampleValues } from '../example-values.ts'
import * as problems from '../print-request/problems.ts'
import { shapesOf } from '../shapes.ts'
import * as acknowledgement from './acknowledgement.ts'
import * as claim from './claim.ts'
import * as despatchProperty from './despatch-property.ts'
import * as itemEvent from './item-event.ts'
import * as manifest from './manifest.ts'
import * as posting from './posting.ts'
import * as printRun from './print-run.ts'
import * as recall from './recall.ts'
import * as reconciliation from './reconciliation.ts'
import * as reprint from './reprint.ts'
import * as returnedLetter from './returned-letter.ts'
import * as site from './site.ts'

const stream = site.workSummarySchema.shape.streams.element
const recallDocument = recall.recallSchema.shape.documents.element

/** The shapes that the administration API has too. */
export const productionShapes = {
  Capabilities: site.capabilitiesSchema,
  Calendar: site.calendarSchema,
  Weekday: site.calendarSchema.shape.weekdays.element,
  BankHolidays: site.calendarSchema.shape.bankHolidays,
  ClassCalendar: site.classCalendarSchema,
  Maintenance: site.maintenanceSchema,
  Materials: site.materialsSchema,
  Paper: site.paperSchema,
  Envelope: site.envelopeSchema,
  Plex: z.enum(plexes),
  MailFormat: z.enum(mailFormats),
  DespatchMethod: z.enum(printRunDespatchMethods),
  RecallState: z.enum(recallStates),
  ReprintState: z.enum(reprintStates),
}

export const fulfilmentOpenApi = {
  examples: {
    values: exampleValues,
    problems: {
      404: {
        confirmPosting: 'posting-not-found',
        getPosting: 'posting-not-found',
        addPostingEvidence: 'posting-not-found',
        getDocumentContent: 'document-not-found',
        putCapabilities: 'print-site-not-found',
        documents: 'fulfilment-job-not-found',
        recalls: 'recall-not-found',
        'print runs': 'print-run-not-found',
        postings: 'print-run-not-found',
        production: 'print-run-not-found',
      },
      409: {
        closePrintRun: 'print-run-unaccounted',
        requestReprints: 'reprint-not-possible',
        acknowledgePrintRun: 'digest-mismatch',
        recalls: 'recall-answered',
        postings: 'posting-conflict',
        production: 'print-run-not-in-production',
        'print runs': 'print-run-not-claimable',
      },
    },
  },
  tags: {
    'print runs': 'A print run is what a provider prints at once. The provider claims it',
    documents: 'The files of the letters of a claimed print run',
    postings: 'What the carrier took, with evidence',
    production: 'What happens to single documents, up to the close of a print run',
    returns: 'Letters that came back',
    recalls: 'Requests of operators to stop documents',
    provider: 'The provider itself: its sites, what they can do, and the work that is coming',
    stock: 'Numbered stock',
  },
  shapes: {
    ...productionShapes,
    ...shapesOf(problems, acknowledgement, claim, despatchProperty, itemEvent, manifest, posting),
    ...shapesOf(printRun, recall, reconciliation, reprint, returnedLetter, site),
    PrintError: problems.printErrorsSchema.shape.errors.element,
    PrintRunState: z.enum(printRun.printRunSchema.shape.state.options),
    ControlTotals: manifest.manifestSchema.shape.totals,
    PostedRun: posting.postingResponseSchema.shape.printRuns.element,
    PostingState: posting.postingResponseSchema.shape.state,
    MissingDocument: reconciliation.reconciliationSchema.shape.missingDocuments.element,
    ReturnResult: returnedLetter.returnsResponseSchema.shape.results.element,
    RecallDocument: recallDocument,
    RecallDocumentState: recallDocument.shape.state,
    WorkStream: stream,
    WorkCollecting: stream.shape.collecting,
    WorkReleased: stream.shape.released,
    WorkInHand: stream.shape.inHand,
    WorkWeightBand: stream.shape.weightBands.element,
    SerialStockOfJobType: site.serialStockSchema.shape.jobTypes.element,
  },
} as const
