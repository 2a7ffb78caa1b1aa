import { attemptOutcomes } from '@despatch/domain/callback/attempt-outcome'
import {
  callbackEndReasons,
  callbackKinds,
  callbackStates,
} from '@despatch/domain/callback/callback-state'
import { despatchMethods } from '@despatch/domain/print-job/params'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import * as address from './address.ts'
import * as callback from './callback.ts'
import * as finding from './finding.ts'
import * as listedPrintJob from './listed-print-job.ts'
import * as events from './print-job-events.ts'
import * as request from './print-job-request.ts'
import * as response from './print-job-response.ts'
import * as problems from './problems.ts'
import * as sendControl from './send-control-operations.ts'
import * as signingSecret from './signing-secret.ts'
import * as upload from './upload-file-response.ts'
import * as validation from './validation-response.ts'
import * as webhooks from './webhooks.ts'

const { rectangle, measured, allowed } = finding.findingSchema.shape
const { despatchProperties, fileParams } = response.printJobResponseSchema.shape

/** The shapes that the administration API has too. */
export const printShapes = {
  ...shapesOf(address, finding, problems),
  PrintError: problems.printErrorsSchema.shape.errors.element,
  PrintJobStatus: z.enum(printJobStatuses),
  PrintRunState: z.enum(printRunStates),
  CallbackState: z.enum(callbackStates),
  CallbackKind: z.enum(callbackKinds),
  CallbackEndReason: z.enum(callbackEndReasons),
  CallbackAttemptOutcome: z.enum(attemptOutcomes),
  Callback: callback.callbackSchema,
  CallbackAttempt: callback.callbackAttemptSchema,
  ReplayResult: callback.replayResultSchema,
  PrintableAddress: response.printableAddressSchema,
  FindingSeverity: finding.findingSchema.shape.severity,
  FindingUnit: measured.unwrap().shape.unit,
  FindingRectangle: rectangle.unwrap(),
  FindingMeasured: measured.unwrap(),
  FindingAllowed: allowed.unwrap(),
}

export const printRequestOpenApi = {
  examples: {
    values: exampleValues,
    problems: {
      404: {
        submitPrintJob: 'upload-not-found',
        validatePrintJob: 'upload-not-found',
        drawDryRun: 'upload-not-found',
        drawDryRunPage: 'upload-not-found',
        callbacks: 'callback-not-found',
        deleteSigningSecret: 'signing-secret-not-found',
        'print jobs': 'print-job-not-found',
        proofs: 'print-job-not-found',
      },
      409: {
        submitPrintJob: 'print-job-id-taken',
        deletePrintJob: 'print-job-not-pending',
        createSigningSecret: 'signing-secret-conflict',
        callbacks: 'replay-conflict',
        'print jobs': 'print-job-action-refused',
        getLetter: 'letter-not-ready',
        proofs: 'proof-not-ready',
      },
    },
  },
  webhooks: webhooks.callbackWebhooks,
  tags: {
    files: 'Uploads of files that are part of a letter',
    'print jobs': 'A print job is one letter, from its submission to its posting',
    proofs: 'Pictures of a letter as it is printed, with the findings of its checks',
    callbacks: 'Messages that tell a consumer the status of its print jobs, and their signatures',
  },
  shapes: {
    ...printShapes,
    ...shapesOf(callback, listedPrintJob, events, request, response, sendControl),
    ...shapesOf(signingSecret, upload, validation, webhooks),
    HandlingInstruction: request.standardParamsSchema.shape.handlingInstruction.unwrap(),
    DespatchMethod: z.enum(despatchMethods),
    MessageMetadata: webhooks.testMessageSchema.shape.metadata,
    RetryParams: request.callbackParamsSchema.shape.retryParams.unwrap(),
    PrintJobFile: fileParams.out.unwrap().element,
    DespatchProperty: despatchProperties.out.unwrap().element,
    PrintJobRun: events.printJobTimelineSchema.shape.printRun.out.unwrap(),
    PossibleAction: events.printJobTimelineSchema.shape.actions.element,
    SigningSecret: signingSecret.signingSecretsSchema.shape.signingSecrets.element,
  },
} as const
