/** How long after a wake-up the sweep checks whether the step has begun. */
export const checkAfterSeconds = 60
