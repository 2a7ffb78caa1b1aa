import type { MaintenanceWindow } from '../print-run/capabilities.ts'

/** Returns the maintenance window that contains an instant. The end of a window is exclusive. */
export function maintenanceAt(
  windows: readonly MaintenanceWindow[],
  at: Date,
): MaintenanceWindow | undefined {
  return windows.find(({ from, until }) => Date.parse(from) <= +at && +at < Date.parse(until))
}

/** Whether one window, or several adjoining ones, cover the whole time from `from` until `until`. */
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
