/** One pipeline that takes print jobs from accepted to PENDING. */
export type Side = {
  name: string
  /** Accepts so many jobs at once and hands them to the queue. Gives the moment when they were accepted. */
  accept(jobs: number): Promise<Date>
  /** How many of them are PENDING, and when the last came there. */
  progress(): Promise<Progress>
}

export type Progress = { pending: number; lastAt: Date | null }
