import type { PrintError } from '@despatch/contracts/print-request/problems'
import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { isRejectedByChecks, makeFaultyJob, type SampleLetter } from './letters/sample-letters.ts'
import type { Screen } from './screen/screen.ts'
import {
  type CallbackParams,
  dryRunLetter,
  makePrintJob,
  postLetter,
  postRefused,
  uploadFile,
} from './users/consumer.ts'
import type { Session } from './users/session.ts'

type Post = {
  session: Session
  letters: readonly SampleLetter[]
  callbackParams: CallbackParams
  screen: Screen
  signal: AbortSignal
}

/**
 * Acts as the consumer: uploads the files, is refused twice, tries the letter that the checks reject as a dry run, and
 * posts all letters. Returns the result of the dry run.
 */
export async function postLetters(post: Post): Promise<ValidationResponse> {
  const { session, letters, callbackParams, screen } = post
  const jobs = []
  for (const letter of letters) {
    jobs.push({
      letter,
      job: makePrintJob(letter, { uploadId: await upload(letter, post), callbackParams }),
    })
  }

  const faults = await postRefused(session, 400, makeFaultyJob())
  requireCodes(faults, ['NotEmpty', 'Max'])
  screen.say(
    'consumer',
    'sent a job with faults, refused with 400, every fault named:',
    faults.map(({ detail }) => detail),
  )

  const dryRun = await dryRunFaulty(jobs, post)
  for (const { letter, job } of jobs) await postLetter(session, letter, job)
  screen.say('consumer', `posted letters 1 to ${letters.length}; each is safely stored: 202`)

  const [{ job }] = jobs as [(typeof jobs)[number]]
  requireCodes(await postRefused(session, 409, job), ['11'])
  screen.say('consumer', 'posted letter 1 once more, refused with 409 code 11: its id is taken')
  return dryRun
}

async function dryRunFaulty(
  jobs: readonly { letter: SampleLetter; job: object }[],
  { session, screen }: Post,
): Promise<ValidationResponse> {
  const { letter, job } = jobs.find(({ letter }) => isRejectedByChecks(letter))!
  const dryRun = await dryRunLetter(session, job)
  screen.say(
    'consumer',
    `tried out letter ${letter.number}, which saves nothing: it would be ${dryRun.verdict}`,
  )
  return dryRun
}

async function upload(
  { number, upload }: SampleLetter,
  { session, screen, signal }: Post,
): Promise<string | undefined> {
  if (!upload) return undefined
  const { bytes, pages } = upload
  const uploadId = await uploadFile(session, bytes, signal)
  const kilobytes = (bytes.length / 1000).toFixed(1)
  screen.say(
    'consumer',
    `uploaded the PDF of letter ${number}, ${pages} pages and ${kilobytes} kB, to a presigned address`,
  )
  return uploadId
}

function requireCodes(errors: readonly PrintError[], codes: readonly string[]): void {
  const missing = codes.filter((wanted) => !errors.some(({ code }) => code === wanted))
  if (missing.length === 0) return
  throw new Error(`a refusal lacks the code ${missing.join(' and ')}: ${JSON.stringify(errors)}`)
}
