/** What is asked for seldom: one chunk, loaded with the first page. */
export { examine } from './doctor.ts';
export { describeMessages } from './inspector.ts';
