/** A promise that is waited for no longer than a time. */

/** What `promise` gives within `ms`, else undefined; what it does later is nobody's. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  promise.catch(() => {}) // after the time nobody hears of it
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
