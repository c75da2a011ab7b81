/*
 * Loaded before every test file. The HTTP library collects garbage whenever a service serves its first request, which a
 * process of tests does thousands of times. The engine collects when it needs memory; explicit collections still run.
 */

const collect = Bun.gc
Bun.gc = (isImmediate) => (isImmediate ? collect(true) : 0)
