/** One pipeline that takes print jobs from accepted to PENDING. */
export type Side = {
  name: string
  /** Accepts this many jobs at once and enqueues them. Returns when they were accepted. */
  accept(jobs: number): Promise<Date>
  /** Returns how many of them are PENDING, and when the last became PENDING. */
  progress(): Promise<Progress>
}

export type Progress = { pending: number; lastAt: Date | null }
