/** What a consumer has used, in milliseconds of virtual time. */
export type Account = { usedMs: number }

export type VirtualTime<Kept extends Account> = {
  /** The least that a consumer with work has used. It never falls. */
  levelMs(): number
  accounts: ReadonlyMap<string, Kept>
  /** Returns the account of a consumer that has work from now on. It is not behind the level. */
  enter(consumerId: string): Kept
  /** Raises the level to the least that was used by the consumers that have work. */
  advance(usedMs: Iterable<number>): void
  /** Nobody waits for another, so the next consumers are all level. */
  rest(): void
  /** Forgets consumers that have no work. One that is ahead of the level is remembered until the others catch up. */
  forget(mayForget: (consumerId: string, account: Kept) => boolean): void
}

/**
 * Accounts for fair shares: of the consumers that have work, the one that has used least comes next. One that comes, or
 * comes back, starts level with it: it does not catch up on the time in which it had no work.
 */
export function createVirtualTime<Kept extends Account>(
  open: (usedMs: number) => Kept,
): VirtualTime<Kept> {
  const accounts = new Map<string, Kept>()
  let levelMs = 0
  return {
    levelMs: () => levelMs,
    accounts,
    enter: (consumerId) => {
      const account = accounts.get(consumerId) ?? open(levelMs)
      account.usedMs = Math.max(account.usedMs, levelMs)
      accounts.set(consumerId, account)
      return account
    },
    advance: (usedMs) => {
      let least = Number.POSITIVE_INFINITY
      for (const ms of usedMs) least = Math.min(least, ms)
      if (least < Number.POSITIVE_INFINITY) levelMs = Math.max(levelMs, least)
    },
    rest: () => {
      for (const { usedMs } of accounts.values()) levelMs = Math.max(levelMs, usedMs)
    },
    forget: (mayForget) => {
      for (const [consumerId, account] of accounts) {
        if (account.usedMs <= levelMs && mayForget(consumerId, account)) accounts.delete(consumerId)
      }
    },
  }
}
