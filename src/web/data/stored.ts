type StorageName = 'localStorage' | 'sessionStorage'

/** Returns a stored JSON value; undefined without one, and in browsers that store nothing. */
export function readStored<Value>(storage: StorageName, name: string): Value | undefined {
  try {
    return JSON.parse(globalThis[storage].getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a JSON value, or deletes it if undefined. A value that cannot be stored lasts until the page closes. */
export function store(storage: StorageName, name: string, value: unknown): void {
  try {
    if (value === undefined) globalThis[storage].removeItem(name)
    else globalThis[storage].setItem(name, JSON.stringify(value))
  } catch {
    // The storage is full or blocked.
  }
}
