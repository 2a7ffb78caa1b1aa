import { roles, serviceNames } from '@despatch/domain/access/caller'
import { bulkActionKinds } from '@despatch/domain/bulk-action/bulk-action'
import { enquiryOutcomes, enquiryServices } from '@despatch/domain/enquiry/audited-enquiry'
import { printJobFilters } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { exampleValues } from '../example-values.ts'
import { productionShapes } from '../print-fulfilment/openapi.ts'
import { weighedCountSchema } from '../print-fulfilment/posting.ts'
import { printShapes } from '../print-request/openapi.ts'
import { recordKinds } from '../records/record-kinds.ts'
import { shapesOf } from '../shapes.ts'
import * as auditEvent from './audit-event.ts'
import * as bulkAction from './bulk-action.ts'
import * as callback from './callback.ts'
import * as callbackPerformance from './callback-performance.ts'
import * as consumer from './consumer.ts'
import * as consumerUsage from './consumer-usage.ts'
import * as contract from './contract.ts'
import * as contractChange from './contract-change.ts'
import { rotateSigningKey } from './credential-operations.ts'
import * as enquiry from './enquiry.ts'
import * as parked from './parked-operations.ts'
import * as posting from './posting.ts'
import * as postingOnBehalf from './posting-on-behalf.ts'
import * as printJob from './print-job.ts'
import * as printRun from './print-run.ts'
import * as provider from './provider.ts'
import * as queue from './queue.ts'
import * as recall from './recall.ts'
import * as recordSet from './record-set.ts'
import * as reprint from './reprint.ts'
import * as serialStock from './serial-stock.ts'
import * as session from './session.ts'
import * as sharePreview from './share-preview.ts'
import * as template from './template.ts'
import * as usagePlan from './usage-plan.ts'
import * as volume from './volume.ts'

const { account, unaccounted } = printRun.printRunDetailsSchema.shape
const previewedSite = sharePreview.sharePreviewSchema.shape.sites.element
const { today, day, dayBytes } = consumerUsage.serviceUsageSchema.shape
const { progress } = bulkAction.bulkActionSchema.shape

export const administrationOpenApi = {
  examples: {
    values: exampleValues,
    problems: {
      401: { createSession: 'wrong-credentials', finishOidcSignIn: 'wrong-credentials' },
      404: {
        changeShares: 'print-site-not-found',
        previewShares: 'print-site-not-found',
        settleRecall: 'recall-not-found',
        retireContract: 'contract-not-found',
        'bulk actions': 'bulk-action-not-found',
        callbacks: 'callback-not-found',
        'print jobs': 'print-job-not-found',
        'print providers': 'provider-not-found',
        'print runs': 'print-run-not-found',
        'record sets': 'record-set-not-found',
        reprints: 'reprint-not-found',
        'serial stock': 'provider-not-found',
        templates: 'template-not-found',
        ...Object.fromEntries(
          ['audit', 'consumers', 'contracts', 'credentials', 'volumes'].map((tag) => [
            tag,
            'consumer-not-found',
          ]),
        ),
      },
      409: {
        createConsumer: 'user-name-taken',
        changeShares: 'print-site-switched',
        settleRecall: 'recall-answered',
        'bulk actions': 'bulk-action-conflict',
        callbacks: 'replay-conflict',
        consumers: 'own-access',
        contracts: 'contract-in-use',
        credentials: 'api-key-changing',
        'print jobs': 'print-job-action-refused',
        'print providers': 'provider-taken',
        'print runs': 'print-run-conflict',
        'record sets': 'record-set-conflict',
        reprints: 'print-run-conflict',
        'serial stock': 'print-run-conflict',
      },
    },
  },
  tags: {
    sessions: 'Sign-in to the console',
    consumers: 'Who may call the services: their roles, services and usage',
    credentials: 'API keys, passwords and signing keys',
    contracts: 'How the letters of a consumer are made',
    templates: 'Templates of letters, and their versions',
    'usage plans': 'How much a consumer may call',
    audit: 'Who changed what, and who enquired about whom',
    volumes: 'Numbers of print jobs and letters',
    'record sets': 'Driver and vehicle records',
    'print providers': 'Print providers and their sites',
    'serial stock': 'Numbered stock of providers',
    'print runs': 'Print runs, their recalls and their postings',
    reprints: 'Reprints that providers request',
    'print jobs': 'Print jobs of all consumers',
    'bulk actions': 'Actions on many print jobs',
    callbacks: 'Callbacks of all consumers, and the origins that they go to',
    queues: 'Work queues',
  },
  shapes: {
    ...printShapes,
    ...productionShapes,
    PrintJobFilters: printJob.countPrintJobsSchema,
    ...shapesOf(auditEvent, bulkAction, callback, consumer, consumerUsage, contract, enquiry),
    ...shapesOf(parked, postingOnBehalf, printJob, printRun, provider, queue, recall, recordSet),
    ...shapesOf(reprint, serialStock, session, usagePlan, volume, callbackPerformance),
    ...shapesOf(contractChange, posting, sharePreview, template),
    WeighedCount: weighedCountSchema,
    Role: z.enum(roles),
    ServiceName: z.enum(serviceNames),
    AddressPlacement: contract.contractSchema.shape.addressPlacement,
    Production: contract.contractSchema.shape.production,
    EnquiryService: z.enum(enquiryServices),
    EnquiryOutcome: z.enum(enquiryOutcomes),
    UsageLimitOfService: usagePlan.usagePlanSchema.shape.limits.element,
    UsageToday: today,
    DayUsage: day.unwrap(),
    DayByteUsage: dayBytes.unwrap(),
    SigningSecret: consumer.consumerDetailsSchema.shape.signingSecrets.element,
    TermChange: contractChange.contractPreviewSchema.shape.changes.element,
    SiteSharePreview: previewedSite,
    SiteWork: previewedSite.shape.before,
    CallbackBreaker: callback.callbackOriginSchema.shape.breaker,
    MatchedFilters: bulkAction.bulkActionSchema.shape.matching.out.unwrap(),
    PrintJobFilter: z.enum(printJobFilters),
    RuleNumber: printJob.printJobFilterFields.rule.unwrap(),
    Lateness: printJob.listedPrintJobSchema.shape.lateness.out.unwrap(),
    VolumeTotal: volume.volumesSchema.shape.total,
    VolumeDespatched: volume.volumeSchema.shape.despatched.element,
    RotatedSigningKey: rotateSigningKey.schema.response[200],
    RecordKind: z.enum(recordKinds),
    RecordSetMode: z.enum(recordSet.recordSetModes),
    RecordSetState: z.enum(recordSet.recordSetStates),
    RecordSetPublishing: recordSet.recordSetSchema.shape.publishing.out.unwrap(),
    ProviderExchange: z.enum(provider.exchanges),
    SerialAccount: serialStock.serialAccountsSchema.shape.accounts.element,
    SerialStock: serialStock.issuedSerialNumbersSchema.shape.account,
    PrintRunAccount: account,
    UnaccountedDocument: unaccounted.unwrap().element,
    PrintJobFile: printJob.printJobDetailsSchema.shape.files.element,
    PrintJobAction: printJob.printJobDetailsSchema.shape.actions.element,
    ParkedFailure: parked.parkedPrintJobsSchema.shape.failures.element,
    BulkActionKind: z.enum(bulkActionKinds),
    BulkActionState: bulkAction.bulkActionSchema.shape.state,
    BulkActionProgress: progress,
    BulkItemOutcome: bulkAction.bulkItemSchema.shape.outcome.out.unwrap(),
    QueueName: queue.queueSchema.shape.queue,
  },
} as const
