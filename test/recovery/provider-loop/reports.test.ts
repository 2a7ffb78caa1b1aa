import { beforeAll, expect, test } from 'vitest'
import {
  aLoopForAll,
  aProductionLine,
  countCallbacks,
  countSteps,
  type ProductionLine,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { killWhileBlocked } from '../../stack/provider-loop/kill-while-blocked.ts'

const loop = aLoopForAll()
let line: ProductionLine
beforeAll(async () => {
  line = await aProductionLine(loop())
})

test.each([
  ['the first letter', 'select from print_job where key = $1 for update'],
  ['the last', 'select from print_run_document where print_job_key = $1 for update'],
])(
  'killing fulfilment while a confirmation writes %s despatches no letter, and a repetition despatches all',
  async (_, hold) => {
    const { batchNumber, letters } = await line.anAcknowledgedRun(30)
    const { postingId } = (await line.provider.post(batchNumber, `killed ${batchNumber}`)).body

    await killWhileBlocked(loop(), {
      hold: (client) => client.query(hold, [letters[29]!.key]),
      call: () => line.provider.confirm(postingId),
    })

    expect(await statusesOf(loop(), letters)).toEqual({ PRODUCTION: 30 })
    expect(await countCallbacks(loop(), letters)).toBe(0)
    expect((await line.provider.confirm(postingId)).body).toMatchObject({
      state: 'CONFIRMED',
      documentCount: 30,
    })
    expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 30 })
    expect(await countSteps(loop(), letters, 'despatch')).toBe(30)
    expect(await countCallbacks(loop(), letters)).toBe(30)
  },
)
