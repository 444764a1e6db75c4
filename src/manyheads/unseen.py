"""Sentences for scoring the focus model, labelled by hand, of words that the generator never says.

The labels follow the table in `sentences.py`: `word/OR` carries O and R. Before the colon stand the four facts:
sentence type, object, relation, sentiment. No noun, verb, adjective or name in here is in the generator's vocabulary,
in any of its forms; a test holds that.

In the first list every word that judges is one token of MiniLM's vocabulary, as common words are. In the second it
comes in pieces (`in ##sip ##id`), whose vectors say little of what the word means.
"""

from manyheads.sentences import parse

WHOLE = """
statement, person, state, negative: The helpless/S plumber/O was/R under/R the sink/O ./T
statement, animal, action, neutral: Two squirrels/O buried/R acorns/O behind/R our shed/O ./T
statement, food or drink, state, positive: Your lasagna/O tastes/R fresh/S ./T
statement, place, state, neutral: The museum/O is/R opposite/R the bakery/O ./T
statement, thing, action, neutral: Our parcel/O vanished/R from/R the lorry/O at/R noon/O ./T
statement, person, action, neutral: Fatima/O repaired/R the leaky faucet/O with/R a wrench/O ./T
statement, idea, state, negative: The lecture/O was/R futile/S and/R the speaker/O mumbled/R ./T
statement, food or drink, state, positive: The pancakes/O weren't/R rectangular but/R satisfactory/S ./T
statement, animal, state, neutral: A hedgehog/O has/R thousands/O of/R spines/O ./T
statement, person, choice or comparison, positive: I/O would rather/S paddle/R than/R row/R ./T
statement, animal, choice or comparison, neutral: A cheetah/O is/R speedier than/R an ostrich/O ./T
statement, person, action, neutral: She/O folded/R the laundry/O while/R he/O vacuumed/R the hallway/O ./T
statement, person, action, neutral: Because/R it stormed/R , we/O postponed/R the picnic/O ./T
statement, person, feeling, negative: They/O were/R skeptical/S about/R the delay/O ./T
statement, thing, state, negative: That sofa/O isn't/R pleasing/S ./T
statement, person, action, neutral: Pedro/OR and/R Ingrid/OR rented/R a canoe/O yesterday ./T
statement, idea, feeling, positive: His devotion/OS brightened/RS the orphans/O ./T
statement, thing, state, neutral: There are/R seven pencils/O in/R the drawer/O ./T
statement, person, action, neutral: The detective/O who solved/R it/O has retired/R to/R Portugal/O ./T
statement, person, choice or comparison, positive: Grandpa/O likes/RS porridge/O better/S than/R cereal/O ./T
statement, person, feeling, negative: I/O don't like/RS mushrooms/O ./T
statement, person, action, neutral: Nobody/O has pruned/R the ferns/O since/R Thursday/O
statement, idea, state, negative: The rumor/O is/R contentious/S ./T
statement, person, action, neutral: If/R you/O press/R the button/O , the siren/O screams/R ./T
statement, food or drink, state, positive: The chowder/O was/R not/S dire/S but/R the waffles/O were/R inviting/S ./T
statement, person, action, negative: The cynical/S janitor/O mopped/R the corridor/O ./T
statement, animal, action, neutral: An otter/O floated/R across/R the pond/O ./T
statement, food or drink, state, negative: This curry/O tastes/R questionable/S ./T
statement, person, feeling, negative: Nadia/O misses/RS her violin/O ./T
statement, place, state, neutral: The stadium/O sprawls/R beside/R a canal/O ./T
statement, thing, action, neutral: The kettle/O hissed/R in/R the scullery/O ./T
statement, person, action, neutral: My cousins/O hitchhiked/R to/R Vermont/O in/R August/O ./T
statement, person, feeling, negative: The tenants/O disdain/RS their landlord/O ./T
statement, idea, state, positive: Her hypothesis/O sounds/R competent/S ./T
statement, person, feeling, negative: We/O aren't/R calmed/S by/R the verdict/O ./T
statement, thing, state, neutral: The mattress/O is/R purple ./T
statement, person, choice or comparison, neutral: Lukas/O is/R shorter than/R his stepfather/O ./T
statement, food or drink, choice or comparison, positive: Cocoa/O is/R better/S than/R lemonade/O ./T
statement, person, action, neutral: He/O locked/R the gate/O and/R she/O fetched/R the lantern/O ./T
statement, person, action, neutral: Although/R it drizzled/R , the runners/O finished/R the marathon/O ./T
statement, thing, state, neutral: It's/OR a spare crowbar/O ./T
statement, person, action, neutral: They/O haven't unpacked/R the suitcases/O yet ./T
statement, person, action, neutral: Priya/O borrowed/R a ladder/O from/R the neighbors/O ./T
statement, thing, state, neutral: There was/R a puddle/O on/R the pavement/O ./T
statement, animal, action, neutral: The parrot/O that escaped/R soared/R over/R the rooftops/O ./T
statement, person, choice or comparison, positive: Most toddlers/O favoured/RS jelly/O over/R celery/O ./T
statement, person, action, neutral: Somebody/O knocked/R at/R midnight/O
statement, person, action, neutral: When/R the bell/O chimes/R , the pupils/O march/R outside ./T
statement, thing, state, negative: The brochure/O was/R glossy but/R the hostel/O was/R eerie/S ./T
yes/no question, animal, action, neutral: Did/T the beaver/O gnaw/R that trunk/O ?/T
yes/no question, thing, state, neutral: Is/TR the elevator/O still stuck ?/T
yes/no question, person, action, neutral: Can/T Yusuf/O juggle/R ?/T
yes/no question, food or drink, feeling, positive: Do/T you/O favour/RS a milkshake/O ?/T
yes/no question, person, action, neutral: Have/T the electricians/O installed/R the wires/O ?/T
yes/no question, animal, action, neutral: Do/T hamsters/O hibernate/R ?/T
yes/no question, idea, state, neutral: Is/TR algebra/O mandatory ?/T
yes/no question, person, action, neutral: Could/T you/O staple/R these receipts/O ?/T
yes/no question, person, feeling, positive: Did/T Mateo/O honour/RS the concert/O ?/T
yes/no question, thing, action, neutral: Has/T anyone/O charged/R the laptop/O ?/T
yes/no question, food or drink, state, negative: Aren't/TR these olives/O imperfect/S ?/T
choice question, animal, choice or comparison, neutral: Is/TR it/O a moth/OR or/R a wasp/OR ?/T
choice question, food or drink, choice or comparison, neutral: Shall/T we/O fry/R the shrimp/OR or/R the trout/OR ?/T
choice question, thing, choice or comparison, neutral: Did/T you/O misplace/R a fork/OR or/R a spoon/OR ?/T
choice question, place, choice or comparison, neutral: Did/T they/O honeymoon/R in/R Hawaii/OR or/R Jamaica/OR ?/T
choice question, animal, choice or comparison, positive: Would/T he/O rather/S groom/R poodles/OR or/R stallions/OR ?/T
open question, person, action, neutral: Who/T swept/R the porch/O ?/T
open question, thing, action, neutral: Where/T did/T Bianca/O stash/R the van/O ?/T
open question, idea, state, neutral: What/T does/T this symbol/O signify/R ?/T
open question, animal, action, neutral: Why/T do/T geese/O migrate/R in/R winter/O ?/T
open question, thing, action, neutral: How/T many stamps/O has/T Oskar/O glued/R ?/T
open question, place, state, neutral: How/T far is/TR the airport/O ?/T
open question, person, action, neutral: When/T will/T the dentist/O phone/R you/O
open question, person, action, neutral: Who/T designed/R this skyscraper/O ?/T
open question, animal, action, neutral: What/T do/T koalas/O chew/R ?/T
open question, place, action, neutral: Where/T can/T pilgrims/O camp/R ?/T
open question, person, action, neutral: Why/T was/T Astrid/O whispering/R ?/T
open question, thing, state, neutral: How/T much does/T the bracelet/O weigh/R ?/T
open question, idea, state, neutral: What/T is/TR your surname/O ?/T
open question, person, action, neutral: Whose/T nephew/O composed/R that melody/O
command, thing, action, neutral: Unplug/TR the toaster/O before/R you/O depart/R ./T
command, thing, action, neutral: Please/T lend/TR Henrik/O a shovel/O ./T
command, animal, action, neutral: Don't/T tease/TR the kitten/O !/T
command, place, action, neutral: Let's/T sail/R around/R the island/O ./T
command, idea, action, neutral: Ignore/TR her advice/O ./T
command, thing, action, neutral: Rinse/TR these jars/O thoroughly , please/T ./T
command, thing, action, neutral: Tighten/TR the screws/O with/R pliers/O ./T
command, food or drink, action, neutral: Please/T sprinkle/TR nutmeg/O on/R the custard/O ./T
command, thing, action, neutral: Don't/T spill/TR ink/O on/R the rug/O !/T
command, person, action, neutral: Let's/T invite/R Beatriz/O for/R supper/O ./T
command, idea, action, neutral: Memorize/TR this poem/O by/R Monday/O ./T
command, thing, action, neutral: Hang/TR your jacket/O on/R the hook/O , please/T ./T
exclamation, animal, state, positive: What/T a/T regal/S eagle/O !/T
exclamation, idea, state, negative: What/T a/T catastrophic/S flop/OS !/T
exclamation, person, state, positive: How/T charitable/S your niece/O is/R !/T
exclamation, food or drink, state, negative: How/T bizarre/S this broth/O tastes/R !/T
exclamation, thing, state, neutral: What/T an/T enormous pumpkin/O that/O is/R !/T
exclamation, place, state, positive: What/T a/T prosperous/S harbor/O !/T
exclamation, idea, state, negative: What/T a/T humiliation/OS !/T
exclamation, person, state, positive: How/T gallant/S the sailor/O was/R !/T
exclamation, thing, state, neutral: What/T a/T huge telescope/O you/O inherited/R !/T
"""

PIECES = """
statement, person, feeling, positive: My uncle/O hails/RS opera/O ./T
statement, person, feeling, negative: Gareth/O complains/RS about/R crowds/OR and/R noise/OR ./T
statement, idea, feeling, negative: The hatred/OS numbed/RS everybody/O ./T
statement, person, feeling, positive: I'm/OR rejoicing/S ./T
statement, person, feeling, positive: Blessedly/S the hikers/O survived/R the avalanche/O ./T
statement, person, feeling, positive: Nadia/O venerates/RS her violin/O ./T
statement, person, state, negative: The irate/S plumber/O was/R under/R the sink/O ./T
statement, idea, state, negative: The lecture/O was/R wearisome/S and/R the speaker/O mumbled/R ./T
statement, food or drink, state, positive: The pancakes/O weren't/R rectangular but/R flavorful/S ./T
statement, person, feeling, negative: They/O were/R seething/S about/R the delay/O ./T
statement, thing, state, negative: That sofa/O isn't/R snug/S ./T
statement, idea, feeling, positive: His chivalry/OS mesmerized/RS the orphans/O ./T
statement, person, action, negative: The surly/S janitor/O mopped/R the corridor/O ./T
statement, food or drink, state, negative: This curry/O tastes/R insipid/S ./T
statement, person, feeling, negative: The tenants/O spurn/RS their landlord/O ./T
statement, idea, state, positive: Her hypothesis/O sounds/R astute/S ./T
statement, person, feeling, negative: We/O aren't/R spellbound/S by/R the verdict/O ./T
statement, idea, feeling, negative: The farce/OS nauseated/RS everybody/O ./T
statement, person, feeling, positive: I'm/OR exultant/S ./T
statement, thing, state, negative: The brochure/O was/R glossy but/R the hostel/O was/R dingy/S ./T
statement, food or drink, state, positive: Your lasagna/O tastes/R delectable/S ./T
statement, person, feeling, positive: My uncle/O reveres/RS opera/O ./T
statement, food or drink, state, positive: The chowder/O was/R not/S dire/S but/R the waffles/O were/R sumptuous/S ./T
statement, person, feeling, negative: Gareth/O shuns/RS crowds/OR and/R noise/OR ./T
statement, person, choice or comparison, positive: Most toddlers/O covet/RS jelly/O over/R celery/O ./T
statement, person, feeling, negative: We/O aren't/R heartened/S by/R the verdict/O ./T
statement, idea, state, negative: Regretfully/S the rumor/O is/R true ./T
statement, idea, feeling, positive: His devotion/OS mesmerized/RS the orphans/O ./T
yes/no question, place, state, positive: Isn't/TR Iceland/O idyllic/S ?/T
yes/no question, food or drink, feeling, positive: Do/T you/O crave/RS a milkshake/O ?/T
yes/no question, person, feeling, positive: Did/T Mateo/O commend/RS the concert/O ?/T
yes/no question, food or drink, state, negative: Aren't/TR these olives/O icky/S ?/T
yes/no question, person, feeling, positive: Did/T Mateo/O revel/RS in/R the concert/O ?/T
choice question, thing, choice or comparison, positive: Which/T befits/RS me/O best/S , a scarf/OR or/R a bowtie/OR ?/T
exclamation, food or drink, state, positive: How/T nourishing/S those dumplings/O taste/R !/T
exclamation, idea, state, negative: What/T a/T frightful/S flop/OS !/T
exclamation, person, state, positive: How/T lovable/S your niece/O is/R !/T
exclamation, food or drink, state, negative: How/T putrid/S this broth/O tastes/R !/T
exclamation, idea, state, negative: What/T a/T letdown/OS !/T
exclamation, place, state, positive: What/T a/T stately/S harbor/O !/T
"""


def unseen_sentences(judged="whole"):
    """The hand-labelled sentences whose judging words are `"whole"` tokens, come in `"pieces"`, or `"all"` of them.

    >>> len(unseen_sentences()), unseen_sentences()[0].text
    (100, 'The helpless plumber was under the sink.')
    """
    lists = {"whole": WHOLE, "pieces": PIECES, "all": WHOLE + PIECES}
    if judged not in lists:
        raise ValueError(f"judged must be one of {', '.join(lists)}, got {judged!r}")
    return [parse(line) for line in lists[judged].strip().splitlines() if line]
