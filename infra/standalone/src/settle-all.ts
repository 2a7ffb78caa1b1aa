/**
 * Returns the values of promises. Waits for all of them even if one rejects, so that whatever did open is known and can
 * be closed.
 */
export async function settleAll<const Values extends readonly unknown[]>(
  promises: {
    [Index in keyof Values]: Promise<Values[Index]>
  },
): Promise<Values> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as unknown as Values
}
