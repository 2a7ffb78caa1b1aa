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
  const reached = windows
    .map((window) => ({ start: Date.parse(window.from), end: Date.parse(window.until) }))
    .toSorted((one, other) => one.start - other.start)
    .reduce((soFar, { start, end }) => (start <= soFar ? Math.max(soFar, end) : soFar), +from)
  return reached >= +until
}
