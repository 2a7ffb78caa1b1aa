import { hash, randomUUID } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { cancelPrintJob, savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { saveAddressOverride } from '@despatch/store/print-job/override-address'
import type { Submission } from '@despatch/store/print-job/submissions'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { decideReprint } from '@despatch/store/reprint/decide'
import { saveReprintRequests } from '@despatch/store/reprint/reprints'
import { aMade } from '@despatch/testing/make-pending'
import type { Letter, Run, World } from './a-world.ts'
import type { Mark } from './marks.ts'

/** One kind of thing that letters can come to, and what makes them come to it. */
export type Course = {
  /** How many letters it takes. Default: 1. */
  letters?: number
  /** With files, so that a pipeline checks it. The others are made as the pipeline makes them. */
  submitted?: (world: World, mark: Mark) => Promise<Partial<Submission>>
  /** Where the checks take it. Default: PENDING. */
  checked?: 'PENDING' | 'REJECTED' | 'PARKED'
  happens?: (world: World, letters: Letter[]) => Promise<unknown>
}

const operator = { actor: 'operator' }

/** Every course of a letter: each to an end, and to each place where it stays until somebody acts, and from there on. */
export const courses: Readonly<Record<string, Course>> = {
  'despatched, with an upload and an inline file': {
    submitted: async (world, mark) => ({
      files: [
        {
          fileId: `scan-${mark.personal}`,
          source: 'upload',
          uploadId: await aPictureIn(world, mark),
        },
        await world.anInlineFile(mark),
      ],
    }),
    happens: (world, [letter]) => despatch(world, letter!),
  },
  'despatched and returned': {
    happens: async (world, [letter]) => {
      const run = await despatch(world, letter!)
      await world.pool.query(
        `insert into returned_letter (provider_id, return_id, return_hash, print_job_key, batch_number, document_id,
           reason_code, disposition, scanned_at)
         values ('north', $1, '', $2, $3, $4, 'R01', 'DESTROYED', now())`,
        [randomUUID(), letter!.key, run.batchNumber, run.documentIds[0]],
      )
    },
  },
  'despatched to a corrected address': {
    happens: async (world, [letter]) => {
      await hold(world, letter!)
      await override(world, letter!)
      await despatch(world, letter!)
    },
  },
  'looked at by an operator, and its evidence exported': {
    happens: async (world, [letter]) => {
      const { key, mark } = letter!
      for (const action of ['print-job.letter-shown', 'print-job.evidence-exported'] as const) {
        const detail = { printJobKey: key, printJobId: mark.id }
        await world.act((tx) => insertAuditEvent(tx, { ...operator, action, detail }))
      }
      await despatch(world, letter!)
    },
  },
  'rejected for its file': {
    submitted: async (world, { personal }) => ({
      files: [
        {
          fileId: `scan-${personal}`,
          source: 'upload',
          uploadId: await world.pipeline.anUpload(Buffer.from(`${personal} is no picture`)),
        },
      ],
    }),
    checked: 'REJECTED',
  },
  'deleted by its consumer': {
    happens: ({ db, consumer }, [letter]) =>
      savePrintJobDeletion(db, consumer.consumerId, letter!.mark.id),
  },
  'held by an operator, then cancelled': {
    happens: async (world, [letter]) => {
      await hold(world, letter!)
      await cancel(world, letter!)
    },
  },
  'parked after faults, then cancelled': {
    checked: 'PARKED',
    happens: (world, [letter]) => cancel(world, letter!),
  },
  'spoiled, printed again and posted': {
    happens: async (world, [letter]) => {
      const run = await world.anAcknowledgedRun([letter!])
      await spoil(world, run, letter!.mark)
      await decide(world, run, letter!.mark, 'authorise')
      await world.report(run, [{ documentId: run.documentIds[0]!, type: 'PRINTED' }], 2)
      await world.post(run, letter!.mark)
      await world.close(run)
    },
  },
  'spoiled, and its reprint refused': {
    happens: async (world, [letter]) => {
      const run = await world.anAcknowledgedRun([letter!])
      await spoil(world, run, letter!.mark)
      await decide(world, run, letter!.mark, 'refuse')
      await world.close(run)
    },
  },
  failed: {
    happens: async (world, [letter]) => {
      const run = await world.anAcknowledgedRun([letter!])
      const [documentId] = run.documentIds
      const reason = `lost with ${letter!.mark.personal}`
      await world.report(run, [{ documentId: documentId!, type: 'FAILED', reason }])
      await world.close(run)
    },
  },
  'refused with all others of its run': {
    letters: 2,
    happens: async (world, letters) => {
      const run = await world.aRun(letters)
      await world.claim(run)
      await world.acknowledge(run, { refusals: refusalsOf(run, letters) })
    },
  },
  'refused alone, and the others posted': {
    letters: 2,
    happens: async (world, letters) => {
      const run = await world.aRun(letters)
      await world.claim(run)
      await world.acknowledge(run, { refusals: refusalsOf(run, letters).slice(0, 1) })
      const [, documentId] = run.documentIds
      await world.post({ ...run, documentIds: [documentId!] }, letters[1]!.mark, [documentId!])
      await world.close(run)
    },
  },
  'refused as a whole, then recalled': {
    happens: async (world, letters) => {
      const run = await world.aRun(letters)
      await world.claim(run)
      await world.acknowledge(run, { refusal: 'The press is on fire' })
      await world.recall(run)
    },
  },
  'recalled before its claim': {
    happens: async (world, letters) => world.recall(await world.aRun(letters)),
  },
  'recalled from a run that nobody acknowledges': {
    happens: async (world, letters) => {
      const run = await world.aRun(letters)
      await world.claim(run)
      await world.recall(run)
    },
  },
  'recalled in production': {
    happens: async (world, letters) => {
      const run = await world.anAcknowledgedRun(letters)
      await world.recall(run)
      await world.close(run)
    },
  },
  'recalled too late': {
    happens: async (world, [letter]) => {
      const run = await world.anAcknowledgedRun([letter!])
      await world.recall(run, 'all')
      await world.post(run, letter!.mark)
      await world.close(run)
    },
  },
  'moved to another site, and posted there': {
    happens: async (world, [letter]) => {
      const run = await world.aRun([letter!])
      await world.claim(run)
      const moved = await world.act((tx) =>
        reassignDocuments(tx, {
          batchNumber: run.batchNumber,
          providerId: 'north',
          printLocation: 'SOUTH',
          reason: 'the press broke',
          nothingPrinted: true,
          ...operator,
        }),
      )
      if (moved.kind !== 'moved') throw new Error(`Not moved: ${moved.kind}`)
      const { batchNumber } = moved.run
      const next = { ...run, batchNumber }
      await world.claim(next)
      await world.acknowledge(next)
      await world.post(next, letter!.mark)
      await world.close(next)
    },
  },
}

async function despatch(world: World, letter: Letter): Promise<Run> {
  const run = await world.anAcknowledgedRun([letter])
  await world.post(run, letter.mark)
  await world.close(run)
  return run
}

async function aPictureIn(world: World, mark: Mark): Promise<string> {
  return world.pipeline.anUpload(await world.aPicture(mark))
}

function refusalsOf(run: Run, letters: readonly Letter[]) {
  return run.documentIds.map((documentId, index) => ({
    documentId,
    comment: `cannot print ${letters[index]!.mark.personal}`,
  }))
}

async function hold({ act }: World, { key, mark }: Letter): Promise<void> {
  const by = { ...operator, reason: `ask ${mark.personal}` }
  done(await act((tx) => holdPrintJob(tx, { key }, by)))
}

async function cancel({ act }: World, { key, mark }: Letter): Promise<void> {
  const by = { ...operator, reason: `as ${mark.personal} asked` }
  done(await act((tx) => cancelPrintJob(tx, { key }, by)))
}

/** Makes the letter again for another addressee, as an operator does, and lets it go. */
async function override({ act, db, objects }: World, { key, mark }: Letter): Promise<void> {
  const { document_sha256: before } = await db
    .selectFrom('print_job')
    .select('document_sha256')
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  const bytes = Buffer.from(`to ${mark.personal}`)
  const documentSha256 = hash('sha256', bytes)
  await objects.put(documentKey(documentSha256), bytes, 'text/plain')
  const made = {
    ...aMade,
    documentSha256,
    printableAddress: { ...aMade.printableAddress, line1: `${mark.personal} House` },
  }
  const override = {
    addressee: {
      recipientName: `Mx ${mark.personal}`,
      address: { unstructuredAddress: { line1: `${mark.personal} House`, postcode: 'AB1 2CD' } },
    },
    producedAs: 'SECOND' as const,
    made,
    findings: [],
    comment: null,
    replacesSha256: before!.toString('hex'),
  }
  const by = { ...operator, reason: `${mark.personal} called` }
  done(await act((tx) => saveAddressOverride(tx, { key }, override, by)))
  await db
    .updateTable('print_job')
    .set({ held_at: null, held_by: null })
    .where('key', '=', key)
    .execute()
}

async function spoil(world: World, run: Run, { personal }: Mark): Promise<void> {
  const [documentId] = run.documentIds
  const reason = `tore on ${personal}`
  await world.report(run, [{ documentId: documentId!, type: 'SPOILED', reason }])
}

/** Asks for a reprint, on which a second person decides. */
async function decide(
  { act, db, consumer }: World,
  run: Run,
  { personal }: Mark,
  decision: 'authorise' | 'refuse',
): Promise<void> {
  await db
    .updateTable('print_site')
    .set({ reprints_free_max: 0, reprints_free_percent: 0 })
    .execute()
  const [documentId] = run.documentIds
  const reason = `for ${personal}`
  const requested = await saveReprintRequests(db, {
    ...run,
    requestedBy: consumer.consumerId,
    documents: [{ documentId: documentId!, reasonCode: 'S01', reason }],
  })
  if (requested.kind !== 'requested') throw new Error(`Not requested: ${requested.kind}`)
  const { reprintId } = requested.reprints[0]!
  const outcome = await act((tx) =>
    decideReprint(tx, { reprintId, decision, ...operator, actorConsumerId: randomUUID(), reason }),
  )
  if (outcome.kind !== 'decided') throw new Error(`Not decided: ${outcome.kind}`)
}

function done(outcome: { kind: string; whyNot?: string }): void {
  if (outcome.kind !== 'done') throw new Error(`Not done: ${outcome.kind} ${outcome.whyNot ?? ''}`)
}
