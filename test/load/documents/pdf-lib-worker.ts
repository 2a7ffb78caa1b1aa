import type { ThreadTask } from '@despatch/composer/threads'
import { makeByPdfLib } from './pdf-lib-letter.ts'
import type { Made, PartTask } from './work.ts'

export default function makeInThread({ task }: ThreadTask<PartTask>): Promise<Made> {
  return makeByPdfLib(task.request)
}
