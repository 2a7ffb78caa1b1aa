import type { Scenario } from './scenario.ts'

/** The clock's offset by the number of the start: none, ahead, behind. */
const skewsSeconds = [0, 60, -60]

/** Returns the option that makes every clock of a Node process run ahead by this many seconds. */
function skewed(seconds: number): string {
  const shift = `const now=Date.now,ms=${seconds * 1_000},D=Date;Date.now=()=>now()+ms;
globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(now()+ms)}static now(){return now()+ms}}`
  return `--import=data:text/javascript,${encodeURIComponent(shift)}`
}

export const clockOff: Scenario = {
  number: 8,
  name: 'the clock of a worker is a minute ahead, then a minute behind',
  holds: 'I1 I4 I7; this worker takes no work, and the others continue',
  queues: 'each',
  isOnce: true,
  plan: {
    memberSettings: (name, start) =>
      name === 'pipeline-2' ? { NODE_OPTIONS: skewed(skewsSeconds[start - 1] ?? 0) } : {},
    strike: async (world) => {
      const [, skewedOne] = world.fleet.pipelines
      for (const seconds of [60, -60, 0]) {
        await world.blow(`clock of ${skewedOne!.name} ${seconds} s ahead`, async () => {
          await skewedOne!.kill()
          await skewedOne!.untilBack()
        })
        await world.pause(seconds === 0 ? 0 : 5_000)
      }
    },
    judge: (_, { changes }) =>
      changes
        .filter(({ before, after }) => after.leaseUntil !== null && after.epoch > before.epoch)
        .filter(({ writer }) => writer === 'pipeline-2.2' || writer === 'pipeline-2.3')
        .map(({ key, writer }) => ({
          rule: 'a worker whose clock is off takes nothing',
          subject: key,
          detail: `was taken by ${writer}`,
        })),
  },
}
