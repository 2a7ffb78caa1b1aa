import type { CallbackFilter } from '@despatch/store/callback/filter'

type Asked = { [Name in keyof Omit<CallbackFilter, Moment>]?: CallbackFilter[Name] } & {
  [Name in Moment]?: string | undefined
}
type Moment = 'createdFrom' | 'createdTo'

/** Which callbacks an operator asks about: of all consumers, unless one is named. */
export function chosenCallbacks(asked: Asked): CallbackFilter {
  const { consumerId, origin, status, reason, jobId, createdFrom, createdTo } = asked
  return {
    ...(consumerId !== undefined && { consumerId }),
    ...(origin !== undefined && { origin: asKept(origin) }),
    ...(status && { status }),
    ...(reason && { reason }),
    ...(jobId !== undefined && { jobId }),
    ...(createdFrom !== undefined && { createdFrom: new Date(createdFrom) }),
    ...(createdTo !== undefined && { createdTo: new Date(createdTo) }),
  }
}

/** Origins are kept as URLs have them: in small letters, without the port that the scheme has anyway. */
function asKept(origin: string): string {
  return URL.parse(origin)?.origin ?? origin
}
