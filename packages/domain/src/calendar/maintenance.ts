import type { MaintenanceWindow } from '../print-run/capabilities.ts'

/** The maintenance window that an instant lies in. The end of a window is not part of it. */
export function maintenanceAt(
  windows: readonly MaintenanceWindow[],
  at: Date,
): MaintenanceWindow | undefined {
  return windows.find(({ from, until }) => Date.parse(from) <= +at && +at < Date.parse(until))
}

/** Whether windows, one or several that meet, leave nothing of the time from `from` until `until`. */
export function isWhollyInMaintenance(
  windows: readonly MaintenanceWindow[],
  { from, until }: { from: Date; until: Date },
): boolean {
  let reached = from
  for (;;) {
    if (reached >= until) return true
    const window = maintenanceAt(windows, reached)
    if (!window) return false
    reached = new Date(window.until)
  }
}
