/** How much the requests of one service may hold of its process at the same time. */
export type AdmissionLimits = {
  requestsMax: number
  /** Bytes of bodies. One body is always let in, however long it is. */
  bodyBytesMax: number
}

/** What there was no room for: requests, bytes of bodies, or more requests of this consumer. */
export type Shed = 'requests' | 'bytes' | 'share'

/** The place of a request that was let in. */
export type Place = { readonly bodyBytes: number; consumerId?: string }

export type Admission = {
  enter(bodyBytes: number): Place | Shed
  /** Counts the place against its consumer. Undefined: the consumer may have it. Otherwise the place is still to be left. */
  assign(place: Place, consumerId: string): Shed | undefined
  leave(place: Place): void
  readonly requests: number
}

/**
 * A consumer may have four requests under way for each place that is still free: alone it gets 80 % of the places, two get
 * 44 % each, and there is always room for another one. (Choudhury and Hahne, dynamic queue length thresholds, 1998.)
 */
const requestsForEachFree = 4

/** Counts what is under way and says when there is no room for more. It holds no timer and nothing outside memory. */
export function createAdmission({ requestsMax, bodyBytesMax }: AdmissionLimits): Admission {
  let requests = 0
  let bytes = 0
  const byConsumer = new Map<string, number>()

  return {
    enter(bodyBytes) {
      if (requests >= requestsMax) return 'requests'
      if (bytes > 0 && bytes + bodyBytes > bodyBytesMax) return 'bytes'
      requests += 1
      bytes += bodyBytes
      return { bodyBytes }
    },

    assign(place, consumerId) {
      const own = byConsumer.get(consumerId) ?? 0
      if (own >= requestsForEachFree * (requestsMax - requests) && own > 0) return 'share'
      byConsumer.set(consumerId, own + 1)
      place.consumerId = consumerId
      return undefined
    },

    leave({ bodyBytes, consumerId }) {
      requests -= 1
      bytes -= bodyBytes
      if (consumerId === undefined) return
      const left = byConsumer.get(consumerId)! - 1
      if (left > 0) byConsumer.set(consumerId, left)
      else byConsumer.delete(consumerId)
    },

    get requests() {
      return requests
    },
  }
}
