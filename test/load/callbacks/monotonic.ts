/** Returns milliseconds of the clock that all processes of a machine share and that never goes back. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
