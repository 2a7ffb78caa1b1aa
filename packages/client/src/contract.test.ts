import type {
  acknowledgementRequestSchema,
  acknowledgementResponseSchema,
} from '@despatch/contracts/print-fulfilment/acknowledgement'
import type {
  claimResponseSchema,
  leaseResponseSchema,
} from '@despatch/contracts/print-fulfilment/claim'
import type {
  itemEventsRequestSchema,
  itemEventsResponseSchema,
} from '@despatch/contracts/print-fulfilment/item-event'
import type { manifestSchema } from '@despatch/contracts/print-fulfilment/manifest'
import type {
  postingRequestSchema,
  postingResponseSchema,
} from '@despatch/contracts/print-fulfilment/posting'
import type {
  printRunSchema,
  printRunsQuerySchema,
} from '@despatch/contracts/print-fulfilment/print-run'
import type { recallSchema } from '@despatch/contracts/print-fulfilment/recall'
import type {
  closeResponseSchema,
  reconciliationSchema,
} from '@despatch/contracts/print-fulfilment/reconciliation'
import type { reprintSchema } from '@despatch/contracts/print-fulfilment/reprint'
import type {
  returnsRequestSchema,
  returnsResponseSchema,
} from '@despatch/contracts/print-fulfilment/returned-letter'
import type { whoamiSchema } from '@despatch/contracts/print-fulfilment/site'
import type {
  listedPrintJobSchema,
  listPrintJobsQuerySchema,
} from '@despatch/contracts/print-request/listed-print-job'
import type { printJobRequestSchema } from '@despatch/contracts/print-request/print-job-request'
import type {
  printJobResponseSchema,
  warningSchema,
} from '@despatch/contracts/print-request/print-job-response'
import type { validationResponseSchema } from '@despatch/contracts/print-request/validation-response'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type * as client from './index.ts'

/**
 * A type in a form that can be compared. It keeps which members are optional, and which values of a text are known. It
 * leaves out whether other values are allowed.
 */
type Form<T> = T extends readonly (infer Item)[]
  ? Form<Item>[]
  : T extends string
    ? T
    : T extends object
      ? { [K in keyof T]-?: [object extends Pick<T, K> ? 'optional' : 'required', Member<T[K]>] }
      : T
type Member<T> = [Exclude<T, undefined | null>] extends [string]
  ? [Known<Exclude<T, undefined | null>>, null extends T ? null : never]
  : Form<Exclude<T, undefined>>
type Known<T> = [Literal<T>] extends [never] ? string : Literal<T>
type Literal<T> = T extends string ? (string extends T ? never : T) : never

type Wire<Schema extends z.ZodType> = Form<z.output<Schema>>
type Paged = 'cursor' | 'limit'

test('the types of the client have the members and known values of the contract', () => {
  expectTypeOf<Form<client.PrintJobRequest>>().toEqualTypeOf<Wire<typeof printJobRequestSchema>>()
  expectTypeOf<Form<client.PrintJob>>().toEqualTypeOf<Wire<typeof printJobResponseSchema>>()
  expectTypeOf<Form<client.ListedPrintJob>>().toEqualTypeOf<Wire<typeof listedPrintJobSchema>>()
  expectTypeOf<Form<client.PrintJobFilter>>().toEqualTypeOf<
    Form<Omit<z.input<typeof listPrintJobsQuerySchema>, Paged>>
  >()
  expectTypeOf<Form<client.Warning>>().toEqualTypeOf<Wire<typeof warningSchema>>()
  expectTypeOf<Form<client.Validation>>().toEqualTypeOf<Wire<typeof validationResponseSchema>>()

  expectTypeOf<Form<client.Provider>>().toEqualTypeOf<Wire<typeof whoamiSchema>>()
  expectTypeOf<Form<client.PrintRun>>().toEqualTypeOf<Wire<typeof printRunSchema>>()
  expectTypeOf<Form<client.PrintRunFilter>>().toEqualTypeOf<
    Form<Omit<z.input<typeof printRunsQuerySchema>, Paged>>
  >()
  expectTypeOf<Form<client.Claim>>().toEqualTypeOf<Wire<typeof claimResponseSchema>>()
  expectTypeOf<Form<client.Lease>>().toEqualTypeOf<Wire<typeof leaseResponseSchema>>()
  expectTypeOf<Form<client.Manifest>>().toEqualTypeOf<Wire<typeof manifestSchema>>()
  expectTypeOf<Form<client.Acknowledgement>>().toEqualTypeOf<
    Wire<typeof acknowledgementRequestSchema>
  >()
  expectTypeOf<Form<client.AcknowledgedRun>>().toEqualTypeOf<
    Wire<typeof acknowledgementResponseSchema>
  >()
  expectTypeOf<Form<client.ItemEvent>>().toEqualTypeOf<
    Form<z.output<typeof itemEventsRequestSchema>['events'][number]>
  >()
  expectTypeOf<Form<client.ItemEventResult>>().toEqualTypeOf<
    Form<z.output<typeof itemEventsResponseSchema>['results'][number]>
  >()
  expectTypeOf<Form<client.Reprint>>().toEqualTypeOf<Wire<typeof reprintSchema>>()
  expectTypeOf<Form<client.RecallRequest>>().toEqualTypeOf<Wire<typeof recallSchema>>()
  expectTypeOf<Form<client.PostingRequest>>().toEqualTypeOf<Wire<typeof postingRequestSchema>>()
  expectTypeOf<Form<client.Posting>>().toEqualTypeOf<Wire<typeof postingResponseSchema>>()
  expectTypeOf<Form<client.Reconciliation>>().toEqualTypeOf<Wire<typeof reconciliationSchema>>()
  expectTypeOf<Form<client.ClosedRun>>().toEqualTypeOf<Wire<typeof closeResponseSchema>>()
  expectTypeOf<Form<client.ReturnedLetter>>().toEqualTypeOf<
    Form<z.output<typeof returnsRequestSchema>['returns'][number]>
  >()
  expectTypeOf<Form<client.ReturnResult>>().toEqualTypeOf<
    Form<z.output<typeof returnsResponseSchema>['results'][number]>
  >()
})

test('the types of the client accept a value that a later release adds', () => {
  expectTypeOf<string>().toExtend<client.PrintJob['status']>()
  expectTypeOf<string>().toExtend<client.PrintRun['state']>()
  expectTypeOf<string>().toExtend<client.ItemEventResult['result']>()
})
