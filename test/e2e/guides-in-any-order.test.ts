import { afterAll, beforeAll, test } from 'vitest'
import { type ADespatch, aDespatch } from '../stack/a-despatch.ts'
import { followGuide, readGuide } from '../stack/follow-guide.ts'
import { type Fence, fencesOf } from '../stack/runnable-guide.ts'

const guides = ['docs/callbacks.md', 'docs/provider-guide.md', 'README.md']
/** Each three in a row are another order of the guides. The last ones find what the same guide left. */
const order = [...guides, ...guides.slice(0, 2)]
/** Each guide runs many short commands. On an idle machine none takes half a minute. */
const followedWithinMs = 240_000
const startedWithinMs = 90_000

let despatch: ADespatch
beforeAll(async () => {
  despatch = await aDespatch({ DESPATCH_ENVIRONMENT: 'uat', DESPATCH_SIMULATOR: 'on' })
}, startedWithinMs)
afterAll(() => despatch[Symbol.asyncDispose]())

test.each(order.map((guide, index) => [guide, index + 1] as const))(
  '%s can be pasted as number %i, into one installation',
  async (guide) => {
    await followGuide(await fencesOfGuide(guide), despatch.directory, followedWithinMs, {
      hasRealNpx: guide === 'README.md',
    })
  },
  followedWithinMs,
)

async function fencesOfGuide(firstPage: string): Promise<Fence[]> {
  const pages = await readGuide(firstPage)
  return [...pages].flatMap(([path, text]) => fencesOf(path, text))
}
