import { hash } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { byEffort } from '@despatch/testing/effort'
import type { Fate } from '@despatch/testing/tcp-proxy'
import { type AskingLetter, ask, untilAnswered } from '../clients/ask.ts'
import { postLetter, untilIn } from '../clients/post-letter.ts'
import { clientPrefix } from '../facts/client-history.ts'
import type { World } from '../run-under-faults.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

const unavailable = {
  answer: 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
}
const isPut = (bytes: Buffer) => bytes.subarray(0, 4).equals(Buffer.from('PUT '))
const isAnswered = (bytes: Buffer) => bytes.includes('HTTP/1.1 200')

const overwritten: AskingLetter = {
  id: 'overwritten',
  process: `${clientPrefix}that overwrites`,
  kind: { files: 'upload', hasKey: true, isPatient: true, isCalledBack: true },
}
const checked = ['VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED']
const original = Buffer.from('%PDF-1.4\n%%EOF\n')

/** The faults of a pipeline's writes, one for each write. */
function faults(
  world: World,
): { name: string; at: 'before-request' | 'before-reply'; act: () => Promise<Fate> }[] {
  return [
    { name: 'a write is answered 503', at: 'before-request', act: async () => unavailable },
    { name: 'a write is cut', at: 'before-request', act: async () => 'cut' },
    { name: 'the reply to a write is lost', at: 'before-reply', act: async () => 'cut' },
    {
      name: 'a write is slow',
      at: 'before-request',
      act: async () => {
        await world.pause(3_000)
        return 'pass'
      },
    },
  ]
}

/** Uploads a file, posts its letter, and overwrites the upload after the letter was checked. */
async function overwrite({ client, database, blow, pdfs, receivers }: World): Promise<void> {
  const { asking } = client
  const made = await untilAnswered(asking, () =>
    ask(asking, overwritten, {
      operation: 'make-upload',
      path: '/print-request/v1/print/files/upload-url',
    }),
  )
  const { uploadId, url } = JSON.parse(made.text) as { uploadId: string; url: string }
  const fill = (body: Uint8Array<ArrayBuffer>) =>
    untilAnswered(asking, () =>
      ask(asking, overwritten, { operation: 'fill-upload', url, method: 'PUT', body }),
    )
  await fill(pdfs[0]!)
  await postLetter(asking, overwritten, {
    fileParams: [{ fileId: 'enclosure', uploadId }],
    callbackParams: {
      target: `${receivers[0]!.origin}/callbacks`,
      retryParams: { enabled: true, maxRetryWindow: 60 },
    },
  })
  // If the letter is not checked in time, the rules report it as late.
  await untilIn(database, overwritten.id, checked).catch(() => {})
  await blow('an object is overwritten after its check', () => fill(new Uint8Array(original)))
}

/** Whether the object store has a file under its hash, where no sender can write. */
async function hasFile({ ground }: World, sha256: string): Promise<boolean> {
  const { environment } = await ground.link()
  const objects = openObjectStore({
    endpoint: environment.S3_ENDPOINT!,
    region: 'eu-west-2',
    bucket: environment.S3_BUCKET!,
    accessKeyId: environment.S3_ACCESS_KEY_ID,
    secretAccessKey: environment.S3_SECRET_ACCESS_KEY,
  })
  try {
    return (await objects.head(fileKey(sha256))) !== undefined
  } finally {
    await objects.close()
  }
}

export const objectStoreMisbehaves: Scenario = {
  number: 19,
  name: 'the object store refuses, hangs, is slow, answers 503, loses replies; an upload is overwritten after its check',
  holds: 'I1 I8; what is printed is what was checked',
  queues: 'each',
  isOnce: true,
  smoke: 'postgres',
  plan: {
    strike: async (world) => {
      const { ground, fleet } = world
      const struck = fleet.pipelines.slice(0, byEffort({ landing: 1, full: 2 }))
      await Promise.all([
        overwrite(world),
        ...struck.map(async (pipeline) => {
          for (const fault of faults(world)) {
            await strikeAt(world, pipeline, {
              ...fault,
              on: 'object-store',
              request: isPut,
              isComplete: isAnswered,
            })
          }
        }),
      ])
      await world.outage('object-store', async () => {
        for (const fault of ['refuse', 'hang'] as const) {
          ground.toAll('object-store', fault)
          await world.pause(2_000)
        }
        ground.toAll('object-store', 'resume')
      })
    },
    judge: async (world) => {
      const { database, pdfs } = world
      const { rows } = await database.pool.query<{ sha256: string }>(
        `select encode(sha256, 'hex') as sha256 from print_job_file join print_job on key = print_job_key where id = $1`,
        [overwritten.id],
      )
      const sha256 = hash('sha256', pdfs[0]!)
      const isStored = await hasFile(world, sha256)
      if (rows[0]?.sha256 === sha256 && isStored) return []
      return [
        {
          rule: 'what is printed is what was checked',
          subject: overwritten.id,
          detail: `has the file ${rows[0]?.sha256}, and what was checked is ${isStored ? '' : 'not '}stored`,
        },
      ]
    },
  },
}
