/** What is asked for seldom: one chunk, loaded with the first page. */
export { examine, toMarkdown } from './doctor.ts';
export { DoctorPage } from './doctorPage.ts';
export { describeMessages } from './inspector.ts';
