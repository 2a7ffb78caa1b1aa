/** Limits on what the requests of one service use of its process at the same time. */
export type AdmissionLimits = {
  requestsMax: number
  /** Total bytes of request bodies. A single body is always admitted, however long it is. */
  bodyBytesMax: number
}

/** Which limit refused the request: requests, bytes of bodies, or this consumer's share of either. */
export type Shed = 'requests' | 'bytes' | 'share'

/** The slot of an admitted request. */
export type Place = { readonly bodyBytes: number; consumerId?: string }

type Admission = {
  enter(bodyBytes: number): Place | Shed
  /**
   * Counts the slot against its consumer. Returns undefined if the consumer is within its share. After a refusal the
   * caller must still call `leave`.
   */
  assign(place: Place, consumerId: string): Shed | undefined
  leave(place: Place): void
  readonly requests: number
}

/**
 * A consumer may have four requests under way for each free slot. One consumer alone gets 80 % of the slots, two get
 * 44 % each, and there is always room for another. (Choudhury and Hahne, dynamic queue length thresholds, 1998.)
 */
const requestsForEachFree = 4
/** Large bodies of one consumer arrive slowly, and must leave room for those of others. */
const bytesShareMax = 0.5

/**
 * Counts the requests under way and refuses those beyond the limits. It uses no timer and keeps its counts in memory
 * only.
 */
export function createAdmission({ requestsMax, bodyBytesMax }: AdmissionLimits): Admission {
  let requests = 0
  let bytes = 0
  const byConsumer = new Map<string, { requests: number; bytes: number }>()

  return {
    enter(bodyBytes) {
      if (requests >= requestsMax) return 'requests'
      if (bytes > 0 && bytes + bodyBytes > bodyBytesMax) return 'bytes'
      requests += 1
      bytes += bodyBytes
      return { bodyBytes }
    },

    assign(place, consumerId) {
      const own = byConsumer.get(consumerId) ?? { requests: 0, bytes: 0 }
      const { bodyBytes } = place
      if (own.requests >= requestsForEachFree * (requestsMax - requests) && own.requests > 0) {
        return 'share'
      }
      if (own.bytes > 0 && bodyBytes > 0 && own.bytes + bodyBytes > bodyBytesMax * bytesShareMax) {
        return 'share'
      }
      byConsumer.set(consumerId, { requests: own.requests + 1, bytes: own.bytes + bodyBytes })
      place.consumerId = consumerId
      return undefined
    },

    leave({ bodyBytes, consumerId }) {
      requests -= 1
      bytes -= bodyBytes
      if (consumerId === undefined) return
      const own = byConsumer.get(consumerId)!
      const left = { requests: own.requests - 1, bytes: own.bytes - bodyBytes }
      if (left.requests > 0) byConsumer.set(consumerId, left)
      else byConsumer.delete(consumerId)
    },

    get requests() {
      return requests
    },
  }
}
