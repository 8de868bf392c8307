import * as z from 'zod/mini';

/** The input of AskUserQuestion, as seen of 2.0.77 and 2.1.330. */
const input = z.object({
  questions: z.array(
    z.object({
      question: z.string(),
      header: z.optional(z.string()),
      multiSelect: z.optional(z.boolean()),
      options: z.array(z.object({ label: z.string(), description: z.optional(z.string()) })),
    }),
  ),
});
export type AskedQuestion = z.infer<typeof input>['questions'][number];

/** Undefined for what is not understood. */
export function askedQuestions(of: Readonly<Record<string, unknown>>): AskedQuestion[] | undefined {
  const questions = input.safeParse(of).data?.questions;
  return questions && questions.length > 0 ? questions : undefined;
}

/**
 * The input that answers it: the CLI looks answers up by the question's text.
 * @param answers what was chosen for each, in their order
 */
export function answered(
  of: Readonly<Record<string, unknown>>,
  questions: readonly AskedQuestion[],
  answers: readonly (readonly string[])[],
): Readonly<Record<string, unknown>> {
  const byText = questions.map(({ question }, index) => [question, (answers[index] ?? []).join(', ')]);
  return { ...of, answers: Object.fromEntries(byText) as Record<string, string> };
}
