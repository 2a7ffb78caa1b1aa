import type { Kind } from '@despatch/work/kind'

/** Returns the kind with other limits of the batches that wait for a worker. */
export function withRoom<Subject>(
  kind: Kind<Subject>,
  { ordinary, slow }: { ordinary: number; slow: number },
): Kind<Subject> {
  const { queues } = kind
  return {
    ...kind,
    queues: {
      ordinary: { ...queues.ordinary, offeredMax: ordinary },
      slow: { ...queues.slow, offeredMax: slow },
    },
  }
}
