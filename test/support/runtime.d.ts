/*
 * The page functions of browser tests need the types of the DOM. These declare less than Bun has where both declare a
 * name, so this adds the rest.
 */

interface ReadableStream<R = unknown> {
  text(): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as the runtime declares it
  json(): Promise<any>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
}

interface Worker {
  ref(): void
  unref(): void
}
