import { startComposers } from '@despatch/composer/composers'
import { taskLimits } from '@despatch/composer/task-limits'
import { startThreads } from '@despatch/composer/threads'
import type { DocumentRequest } from '@despatch/documents/document-request'
import type { LoadPlan } from '../intake/load.ts'
import { type Extent, type Sender, serveLoads } from '../load-generator.ts'
import { isJudgedBefore, letterOf, makeLetters, withOtherFiles } from './letters.ts'
import type { Made, Part, PartTask } from './part-worker.ts'

/**
 * Makes documents as the pipeline does, in the threads of packages/composer. If PART is set, does only that part of the
 * work, in threads of the same kind and number.
 */
const { THREADS, PART } = process.env
const threadsMax = Number(THREADS)
const letters = await makeLetters()
const make = PART ? startPart(PART as Part) : startWhole()

serveLoads(openSender)

async function openSender({ body }: Extent & Pick<LoadPlan, 'body'>): Promise<Sender> {
  const called = String(body)
  const letter = letters.find(({ name }) => called.endsWith(name))!
  const requestOf = (number: number) =>
    letterOf(isJudgedBefore(called) ? letter : withOtherFiles(letter, number), number)
  return {
    send: async (number) => ((await make(requestOf(number)))?.pages === letter.pages ? 200 : 422),
    close: async () => {},
  }
}

type Make = (request: DocumentRequest) => Promise<Made | undefined>

function startWhole(): Make {
  const composers = startComposers({ threadsMax })
  return async (request) => (await composers.makeDocument(request)).document
}

function startPart(part: Part): Make {
  const worker = part === 'pdf-lib' ? 'pdf-lib-worker.ts' : 'part-worker.ts'
  const file = new URL(`./${worker}`, import.meta.url)
  const threads = startThreads<PartTask, Made>({ file, threadsMax, taskLimits })
  return (request) => threads.run({ part, request })
}
